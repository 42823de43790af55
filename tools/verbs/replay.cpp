#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "replay/replay_report.h"
#include "replay/session_reader.h"
#include "storage/files/output_file.h"
#include "tools/progress.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct Options : ReadOptions {
  std::vector<std::string> sessions;
  std::uint32_t turn = 0;
  bool check_only = false;
  std::string save;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
};

Status save_recordings(const Ledger& ledger, const std::vector<SessionId>& sessions, const std::string& file) {
  const ClearedWhenStopped cleared;
  auto out = OutputFile::open(file);
  if (!out) return tl::unexpected(out.error());
  for (const SessionId& session : sessions) {
    const auto recording = record_session(ledger, session);
    if (!recording) return tl::unexpected(recording.error());
    std::ostringstream lines;
    if (auto made = write_recording(lines, *recording); !made) return made;
    if (auto written = (*out)->write(lines.str()); !written) return written;
  }
  return (*out)->finish();
}

void print_session(const SessionReplay& session, bool heading) {
  if (heading) fmt::print("session {}\n", session.session.value);
  for (const TurnReplay& turn : session.turns) fmt::print("{}{}\n", heading ? "  " : "", replay_line(session.session, turn));
  if (session.error)
    fmt::print("{}session {}: {}: {}\n", heading ? "  " : "", session.session.value, to_string(session.error->code), session.error->detail);
}

Result<ExitCode> run_replay(const Options& options) {
  auto ledger = open_for_reading(options);
  if (!ledger) return tl::unexpected(std::move(ledger.error()));
  auto shelf = open_indexes(options);
  if (!shelf) return tl::unexpected(std::move(shelf.error()));
  auto what_if = what_if_of(options, *shelf);
  if (!what_if) return tl::unexpected(std::move(what_if.error()));
  if (shelf->artefacts.empty() && !options.check_only) {
    return fail(ErrorCode::invalid_argument, "--index is needed to execute turns; --check-only replays the record alone");
  }
  auto asked = sessions_asked(**ledger, options.sessions);
  if (!asked) return tl::unexpected(std::move(asked.error()));
  const std::vector<SessionId>& sessions = *asked;
  if (!options.save.empty()) {
    if (auto saved = save_recordings(**ledger, sessions, options.save); !saved) return tl::unexpected(std::move(saved.error()));
  }

  ReplayOptions replay;
  replay.check_only = options.check_only;
  replay.what_if = std::move(*what_if);
  if (options.turn > 0) replay.only_turn = TurnNumber{options.turn};
  ProgressBar progress("replay");
  std::size_t done = 0;
  const auto results = replay_sessions(
      **ledger, sessions, shelf->lookup(), policies_of(**ledger), replay, options.jobs,
      [&](const SessionReplay& session) { progress.update(session.session.value, static_cast<int>(++done * 1000 / sessions.size())); });
  progress.finish();
  if (options.json) {
    fmt::print("{}\n", replay_document(results).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    for (const SessionReplay& session : results) print_session(session, results.size() > 1);
    fmt::print("{}\n", replay_summary(results));
  }
  return static_cast<ExitCode>(replay_exit_code(results));
}

}  // namespace

Verb add_replay(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App& command = add_command(app, "replay", "Execute recorded conversations again and compare, decision by decision",
                                  "turnstone replay --ledger ledger --index idx\n"
                                  "turnstone replay --ledger ledger --index idx --session s1 --turn 3\n"
                                  "turnstone replay --ledger ledger --index other-idx --what-if");
  add_ledger_options(command, *options);
  add_decider_options(command, *options);
  command.add_option("--session", options->sessions, "Only this session; may be given more than once");
  command.add_option("--turn", options->turn, "Only this turn; nothing after it is read")->check(CLI::PositiveNumber);
  command.add_flag("--check-only", options->check_only, "Fold and compare digests; execute no turn");
  command.add_option("--save", options->save, "Write the sessions as a portable recording (JSON lines)");
  command.add_option("--jobs", options->jobs, "Sessions at a time; without it one a processor")->check(CLI::Range(1U, 1024U));
  return {&command, [options] { return run_replay(*options); }};
}

}  // namespace turnstone
