#include "tools/eval/evaluation.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "tools/eval/knowing_report.h"
#include "tools/eval/knowing_shopper.h"
#include "tools/progress.h"

namespace turnstone {

namespace {

using Json = nlohmann::ordered_json;

class Runner {
 public:
  Runner(const Ground& ground, std::shared_ptr<const Policy> policy, const EvaluationOptions& options)
      : ground_(ground), policy_(std::move(policy)), options_(options), rows_(ground.rows) {
    evaluation_.outcomes.resize(ground.sessions.size());
    evaluation_.target_at_the_end.resize(ground.sessions.size());
  }

  Result<Evaluation> run() {
    std::vector<std::thread> threads;
    for (unsigned job = 1; job < options_.jobs; ++job) threads.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : threads) thread.join();
    if (first_error_) return tl::unexpected(*first_error_);
    return std::move(evaluation_);
  }

 private:
  // A thread takes the next session that nobody has.
  void work() {
    const std::size_t sessions = ground_.sessions.size();
    for (std::size_t at = next_++; at < sessions; at = next_++) {
      if (auto ran = run_session(at); !ran) {
        const std::scoped_lock lock(mutex_);
        if (!first_error_) first_error_ = ran.error();
        next_ = sessions;
        return;
      }
      ++done_;
      progress_.update(fmt::format("{} of {} sessions", done_.load(), sessions), static_cast<int>(done_ * 1000 / sessions));
    }
  }

  Status run_session(std::size_t at) {
    const EvalSession& session = ground_.sessions[at];
    auto agent = EmbeddedAgent::make(ground_.artefact, policy_, options_.variant, options_.read_by);
    if (!agent) return tl::unexpected(agent.error());
    auto outcome = options_.knowing ? talk_knowingly(session, **agent) : run_trial(session, rows_, options_.trial, **agent);
    if (!outcome) return tl::unexpected(outcome.error());
    if (options_.explain) {
      const TurnNumber last{static_cast<std::uint32_t>(outcome->turns.size())};
      if (auto explained = (*agent)->explain_product_at(last, session.target)) evaluation_.target_at_the_end[at] = *std::move(explained);
    }
    evaluation_.outcomes[at] = *std::move(outcome);
    return {};
  }

  Result<Outcome> talk_knowingly(const EvalSession& session, Agent& agent) const {
    const ProductRow* row = rows_.find(session.target);
    const auto product = ground_.artefact->find(session.target);
    if (row == nullptr || !product) {
      return fail(ErrorCode::not_found,
                  fmt::format("session {} has product {} in mind, which is not in the catalogue; give the catalogue that the sessions were made for",
                              session.sample_id, session.target));
    }
    auto wording = make_wording(options_.trial.wording, options_.trial.frames, seed_of(session.sample_id, options_.trial.seed));
    const auto shopper = knowing_shopper(hidden_card(*row).category, *product, *ground_.artefact, std::move(wording));
    return converse(session, *shopper, knowing_turns_max, agent);
  }

  const Ground& ground_;
  const std::shared_ptr<const Policy> policy_;
  const EvaluationOptions& options_;
  const RowIndex rows_;
  Evaluation evaluation_;
  std::atomic<std::size_t> next_{0}, done_{0};
  std::mutex mutex_;
  std::optional<Error> first_error_;
  ProgressBar progress_{"eval"};
};

}  // namespace

Result<Evaluation> evaluate(const Ground& ground, const std::shared_ptr<const Policy>& policy, const EvaluationOptions& options) {
  return Runner(ground, policy, options).run();
}

std::string transcripts(const Evaluation& evaluation) {
  std::string text;
  for (std::size_t at = 0; at < evaluation.outcomes.size(); ++at) {
    const Outcome& outcome = evaluation.outcomes[at];
    Json turns = Json::array();
    for (const TrialTurn& turn : outcome.turns) {
      const AgentReply& reply = turn.answer.reply;
      turns.push_back({{"shopper", turn.message},
                       {"agent", reply.message},
                       {"ask_attribute", reply.ask_attribute ? Json(*reply.ask_attribute) : Json()},
                       {"route", turn.answer.route},
                       {"products", reply.products}});
    }
    Json line = {{"sample_id", outcome.session.sample_id},
                 {"scenario", to_string(outcome.session.scenario)},
                 {"target", outcome.session.target},
                 {"turn", outcome.turn},
                 {"rank", outcome.rank},
                 {"turns", turns}};
    if (const auto& explanation = evaluation.target_at_the_end[at]) line["target_at_the_end"] = to_json(*explanation);
    text += line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  return text;
}

}  // namespace turnstone
