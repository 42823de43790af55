#include "tools/eval/embedded_agent.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "tools/eval/oracle_reader.h"

namespace turnstone {

namespace {

using Json = nlohmann::json;

// Its own name only: a session must not be recognisable by the agent.
const SessionId session{"s"};

}  // namespace

Result<Agent::Answer> read_reply(const std::string& document) {
  const Json reply = Json::parse(document, nullptr, false);
  Agent::Answer answer;
  try {
    answer.reply.message = reply.at("message").get<std::string>();
    if (const Json& ask = reply.at("ask_attribute"); !ask.is_null()) answer.reply.ask_attribute = ask.get<std::string>();
    for (const Json& question : reply.at("questions")) {
      AgentReply::Question read{question.at("facet").get<std::string>(), {}};
      for (const Json& option : question.at("options")) read.options.push_back(option.at("value").get<std::string>());
      answer.reply.questions.push_back(std::move(read));
    }
    for (const Json& product : reply.at("recommendations")) {
      answer.reply.products.push_back(product.at("id").get<std::string>());
      answer.reply.confidences.push_back(std::llround(product.at("confidence").get<double>() * 1000));
    }
    answer.route = reply.at("route").get<std::string>();
  } catch (const Json::exception& fault) {
    return fail(ErrorCode::corrupt, std::string("a reply is not as documented: ") + fault.what());
  }
  return answer;
}

Result<std::unique_ptr<EmbeddedAgent>> EmbeddedAgent::make(std::shared_ptr<const Artefact> artefact, std::shared_ptr<const Policy> policy,
                                                           const std::string& variant, ReadBy read_by) {
  std::unique_ptr<EmbeddedAgent> agent(new EmbeddedAgent);
  agent->read_by_ = read_by;
  EmbeddedOptions options;
  if (read_by == ReadBy::oracle) {
    options.reader = [agent = agent.get()](const IntentState&, const TurnReceived& received, const Artefact& catalogue, const Policy&, StageRecord& record) {
      record.stage = Stage::understand;
      return read_meaning(agent->meant_, received.text, catalogue);
    };
  }
  agent->ledger_ = make_memory_ledger();
  auto engine = EmbeddedEngine::open(*agent->ledger_, std::move(artefact), std::move(policy), system_clock(), std::move(options));
  if (!engine) return tl::unexpected(engine.error());
  agent->engine_ = *std::move(engine);
  NewSession start;
  start.session = session;
  start.channel = "eval";
  start.policy_variant = variant;
  if (auto started = agent->engine_->start_session(start); !started) return tl::unexpected(started.error());
  return agent;
}

Result<Agent::Answer> EmbeddedAgent::say(const Utterance& utterance) {
  meant_ = utterance.meaning;
  TurnRequest request;
  request.session = session;
  request.key = TurnKey{std::to_string(++turns_)};
  request.text = utterance.text;
  request.top_k = top_k;
  const auto reply = engine_->take_turn(request);
  if (!reply) return tl::unexpected(reply.error());
  auto answer = read_reply(reply->reply.document);
  if (!answer) return answer;
  answer->decide_us = reply->timings.decide;
  answer->total_us = reply->timings.total;
  const auto state = engine_->state(session);
  if (!state) return tl::unexpected(state.error());
  if (!(*state)->asked.empty() && (*state)->asked.back().turn == reply->reply.turn) {
    answer->entropy_millibits = (*state)->asked.back().question.entropy_before.value;
  }
  return answer;
}

Result<Explanation> EmbeddedAgent::explain_product_at(TurnNumber turn, const std::string& product) const {
  if (read_by_ == ReadBy::oracle) return fail(ErrorCode::unsupported, "what the oracle read is not in the ledger, so this turn cannot be explained from it");
  const auto artefact = [this](const Fingerprint& wanted) { return wanted == engine_->artefact()->fingerprint() ? engine_->artefact() : nullptr; };
  const auto policy = [this](const Fingerprint& wanted) { return wanted == engine_->policy()->fingerprint() ? engine_->policy() : nullptr; };
  return explain(*ledger_, {session, turn, ProductId{product}, std::nullopt}, artefact, policy, std::nullopt);
}

}  // namespace turnstone
