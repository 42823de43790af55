// Replays a portable recording with nothing but the pure core: no ledger, no bus, no SQLite.
//
//     replay_core RECORDING INDEX [--check-only] [--what-if]
//
// Exit codes as `turnstone replay`: 0 identical, 1 diverged, 2 usage, 3 unreadable, 4 refused. Built by several
// compilers and modes, it shows that the same conversation is decided alike by all of them.
#include <fmt/core.h>

#include <fstream>
#include <string_view>

#include "replay/recording.h"
#include "replay/replay_report.h"

namespace turnstone {
namespace {

int complain(const Error& error) {
  fmt::print(stderr, "replay_core: {}\n", error.detail);
  return error.code == ErrorCode::unsupported ? 4 : 3;
}

int run(const std::string& file, const std::string& index, bool check_only, bool what_if) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return complain({ErrorCode::not_found, file + " cannot be read"});
  const auto recordings = read_recordings(in);
  if (!recordings) return complain(recordings.error());
  const auto artefact = Artefact::open(index);
  if (!artefact) return complain(artefact.error());

  ReplayOptions options;
  options.check_only = check_only;
  if (what_if) options.what_if = WhatIf{*artefact, Policy::standard()};
  const auto lookup = [&](const Fingerprint& fingerprint) { return (*artefact)->fingerprint() == fingerprint ? *artefact : nullptr; };
  std::vector<SessionReplay> replays;
  for (const Recording& recording : *recordings) {
    replays.push_back(replay_recording(recording, lookup, options));
    for (const TurnReplay& turn : replays.back().turns) fmt::print("{}: {}\n", recording.session.value, replay_line(recording.session, turn));
  }
  fmt::print("{}\n", replay_summary(replays));
  return replay_exit_code(replays);
}

}  // namespace
}  // namespace turnstone

int main(int argc, char** argv) {
  std::string file;
  std::string index;
  bool check_only = false;
  bool what_if = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check-only") {
      check_only = true;
    } else if (argument == "--what-if") {
      what_if = true;
    } else if (argument.starts_with("--") || !index.empty()) {
      file.clear();
      break;
    } else {
      (file.empty() ? file : index) = argument;
    }
  }
  if (file.empty() || index.empty()) {
    fmt::print(stderr, "usage: replay_core RECORDING INDEX [--check-only] [--what-if]\n");
    return 2;
  }
  return turnstone::run(file, index, check_only, what_if);
}
