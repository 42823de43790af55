#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/doctor/host_checks.h"
#include "tools/verbs/read_options.h"
#include "tools/verbs/verb.h"

namespace turnstone {
namespace {

struct DoctorOptions {
  std::string ledger;
  std::string master_key;
  std::vector<std::string> indexes;
  bool json = false;
};

Result<ExitCode> run_doctor(const DoctorOptions& options) {
  std::vector<HostFinding> findings = check_process_limits();
  if (!options.ledger.empty()) {
    for (HostFinding& finding : check_ledger_folder(options.ledger, options.master_key)) findings.push_back(std::move(finding));
  }
  for (const std::string& index : options.indexes) findings.push_back(check_index(index));
  for (const HostFinding& finding : findings) {
    if (options.json) {
      const nlohmann::ordered_json document = {
          {"level", to_string(finding.level)}, {"what", finding.what}, {"detail", finding.detail}, {"cure", finding.cure}};
      fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
      fmt::print("{:<8} {:<12} {}{}{}\n", to_string(finding.level), finding.what, finding.detail,
                 finding.cure.empty() ? "" : "\n         cure: ", finding.cure);
    }
  }
  const bool bad = std::any_of(findings.begin(), findings.end(), [](const HostFinding& finding) { return finding.level == HostFinding::Level::bad; });
  return bad ? ExitCode::negative : ExitCode::success;
}

}  // namespace

Verb add_doctor(CLI::App& app) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App& command = add_command(app, "doctor", "Look for what can be wrong on this host, and say the cure; exit 1 when something is",
                                  "turnstone doctor --ledger ledger --index idx");
  command.add_option("--ledger", options->ledger, "Folder of a ledger, or where one shall be; also beside a running engine");
  add_master_key_option(command, options->master_key);
  command.add_option("--index", options->indexes, "Folder that `turnstone index` wrote; may be given more than once");
  add_json_flag(command, options->json);
  return {&command, [options] { return run_doctor(*options); }};
}

}  // namespace turnstone
