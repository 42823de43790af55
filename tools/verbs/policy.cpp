#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/policy_file.h"
#include "tools/verbs/verb.h"

namespace turnstone {

namespace {

struct PolicyOptions {
  std::string file;
  bool show = false;
  bool json = false;
};

Result<ExitCode> run_policy(const PolicyOptions& options) {
  const auto policy = load_policy(options.file);
  if (!policy) {
    if (!options.show && policy.error().code == ErrorCode::invalid_argument) {
      print_error(policy.error(), options.json);
      return ExitCode::negative;
    }
    return tl::unexpected(policy.error());
  }
  const std::string fingerprint = to_hex((*policy)->fingerprint().value);
  if (options.json) {
    nlohmann::ordered_json document = {{"fingerprint", fingerprint}};
    if (options.show) document["source"] = (*policy)->source();
    fmt::print("{}\n", document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (options.show) {
    fmt::print("{}", (*policy)->source());  // nothing else: what is saved is the same policy
    fmt::print(stderr, "fingerprint {}\n", fingerprint);
  } else {
    fmt::print("{}: a valid policy, fingerprint {}\n", options.file, fingerprint);
  }
  return ExitCode::success;
}

}  // namespace

Verb add_policy(CLI::App& app) {
  auto options = std::make_shared<PolicyOptions>();
  CLI::App& command = add_command(app, "policy", "Show the policy that decides, or check one of your own",
                                  "turnstone policy show > my-policy.toml\nturnstone policy check my-policy.toml");
  command.require_subcommand(1);
  CLI::App* show = command.add_subcommand("show", "Print the policy as TOML: the compiled-in one, or that of FILE");
  show->add_option("FILE", options->file, "Policy file");
  show->callback([options] { options->show = true; });
  CLI::App* check = command.add_subcommand("check", "Say whether FILE is a valid policy; exit 1 when it is not");
  check->add_option("FILE", options->file, "Policy file")->required();
  for (CLI::App* nested : {show, check}) add_json_flag(*nested, options->json);
  return {&command, [options] { return run_policy(*options); }};
}

}  // namespace turnstone
