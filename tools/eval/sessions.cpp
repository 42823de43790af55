#include "tools/eval/sessions.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tools/generate/random.h"
#include "tools/text_file.h"

namespace turnstone {

namespace {

using Json = nlohmann::json;
constexpr std::size_t session_file_bytes_max = 256 << 20;

Result<EvalSession> read_session(const std::string& line) {
  const Json row = Json::parse(line, nullptr, false);
  if (!row.is_object()) return fail(ErrorCode::invalid_argument, "it is no JSON object");
  const auto text = [&row](const Json::json_pointer& at) -> std::optional<std::string> {
    if (!row.contains(at) || !row.at(at).is_string()) return std::nullopt;
    return row.at(at).get<std::string>();
  };
  const auto sample = text("/sample_id"_json_pointer);
  const auto scenario = text("/scenario_type"_json_pointer);
  const auto target = text("/ground_truth/parent_asin"_json_pointer);
  if (!sample || !scenario || !target) {
    return fail(ErrorCode::invalid_argument, "it lacks sample_id, scenario_type or ground_truth.parent_asin");
  }
  const auto named = scenario_named(*scenario);
  if (!named) return fail(ErrorCode::invalid_argument, fmt::format("its scenario_type \"{}\" is none of the four", *scenario));
  return EvalSession{*sample, *named, *target};
}

}  // namespace

Result<std::vector<EvalSession>> read_sessions(const std::string& file) {
  const auto text = read_text_file(file, session_file_bytes_max);
  if (!text) return tl::unexpected(text.error());
  std::vector<EvalSession> sessions;
  std::istringstream lines(*text);
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto session = read_session(line);
    if (!session) return fail(ErrorCode::invalid_argument, fmt::format("{}: line {} is no session: {}", file, number, session.error().detail));
    sessions.push_back(*std::move(session));
  }
  if (sessions.empty()) return fail(ErrorCode::invalid_argument, file + " holds no session; give a file with one JSON object a line");
  return sessions;
}

Result<std::vector<EvalSession>> make_sessions(const std::vector<ProductRow>& rows, std::size_t count, std::uint64_t seed) {
  std::vector<const ProductRow*> targets;
  for (const ProductRow& row : rows) {
    if (!row.features.empty() || !row.details.empty()) targets.push_back(&row);
  }
  if (targets.empty()) return fail(ErrorCode::invalid_argument, "no row of the catalogue has a feature or a detail to ask for; use another catalogue");
  std::vector<EvalSession> sessions;
  Random random(seed, 1);
  for (std::size_t at = 0; at < count; ++at) {
    // The four scenarios in their shares within any 20 sessions in a row: 8, 8, 3, 1.
    const std::size_t slot = at * 7 % 20;
    const Scenario scenario = slot < 8 ? Scenario::buying : slot < 16 ? Scenario::browsing : slot < 19 ? Scenario::intent_override : Scenario::boundary;
    const ProductRow* target = random.pick<const ProductRow*>(targets);
    sessions.push_back({fmt::format("made_{:05}", at + 1), scenario, target->id});
  }
  return sessions;
}

}  // namespace turnstone
