#include "replay/audit.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "events/documents.h"
#include "replay/session_reader.h"
#include "replay/wording.h"

namespace turnstone {
namespace {

using Json = nlohmann::json;

std::string join(const std::vector<std::string>& parts, std::string_view separator) { return fmt::format("{}", fmt::join(parts, separator)); }

// Turns events into sentences; remembers what the ids stand for.
class AuditBuilder {
 public:
  AuditBuilder(const SessionId& session, const TitleLookup& title) : title_(title) { audit_.session = session; }

  void feed(const Event& event) {
    event_ = &event;
    // A message opens its turn; what has no turn stands with the one before it, or at the head.
    if (std::holds_alternative<TurnReceived>(event.body) || audit_.turns.empty()) {
      audit_.turns.push_back({event.turn, event.time, epoch_, "", 0, {}, {}});
    }
    std::visit([this](const auto& body) { tell(body); }, event.body);
    turn().events.push_back(event);
  }
  Audit take() { return std::move(audit_); }

 private:
  AuditTurn& turn() { return audit_.turns.back(); }
  void entry(std::string kind, std::string text, std::string aside = "") {
    turn().entries.push_back({std::move(kind), std::move(text), std::move(aside), event_->sequence});
  }
  std::string name_of_constraint(ConstraintId id) const {
    const auto found = constraints_.find(id);
    return found == constraints_.end() ? fmt::format("#{}", id.value) : fmt::format("{} (#{})", words_of(found->second), id.value);
  }
  std::string names_of(const std::vector<ConstraintId>& ids) const {
    std::vector<std::string> names;
    for (const ConstraintId id : ids) names.push_back(name_of_constraint(id));
    return join(names, ", ");
  }
  std::string product(const ProductId& id) const {
    const std::string title = title_ ? one_line(title_(id)) : "";
    return title.empty() ? one_line(id.value) : one_line(id.value) + ' ' + in_quotes(title);
  }

  void tell(const SessionStarted& e) {
    audit_.policy_variant = e.policy_variant;
    audit_.started = event_->time;
    entry("started", fmt::format("by {}, policy {}", one_line(e.channel), one_line(e.policy_variant)),
          e.profile ? "profile " + one_line(e.profile->value) : "");
    if (!e.preference_tags.empty()) entry("profile", "soft hints: " + one_line(join(e.preference_tags, ", ")));
    if (e.forked_from) entry("started", "forked from " + one_line(e.forked_from->value));
  }
  void tell(const TurnReceived& e) {
    turn().said = e.text;
    if (e.retry_of) entry("retry", fmt::format("of turn {}, which was parked", e.retry_of->value));
  }
  void tell(const AttemptStarted& e) {
    turn().attempts = e.attempt.value;
    if (e.attempt.value > 1) entry("attempt", fmt::format("number {}: the one before it gave no result", e.attempt.value));
  }
  void tell(const IntentClassified& e) {
    entry("intent", std::string(to_string(e.intent)), words_of(e.confidence) + (e.evidence.empty() ? "" : ", by " + in_quotes(e.evidence)));
  }
  void tell(const ConstraintSet& e) {
    constraints_[e.id] = e;
    std::string aside = fmt::format("#{}, {}, {}, {}", e.id.value, to_string(e.strength), spaced(to_string(e.source)), words_of(e.confidence));
    if (!e.said.empty()) aside += ", by " + in_quotes(e.said);
    if (e.restored_from) aside += fmt::format(", again as #{} was", e.restored_from->value);
    entry("set", words_of(e), std::move(aside));
  }
  void tell(const ConstraintTombstoned& e) {
    std::string aside(to_string(e.reason));
    if (e.by && *e.by != e.id) aside += " by " + name_of_constraint(*e.by);
    if (!e.words.empty()) aside += ", by " + in_quotes(e.words);
    entry("dropped", name_of_constraint(e.id), std::move(aside));
  }
  void tell(const PreferenceWaived& e) { entry("waived", "any " + spaced(e.facet) + " will do", e.words.empty() ? "" : "by " + in_quotes(e.words)); }
  void tell(const RecipientSet& e) {
    const std::string whom = e.recipient.empty() ? "the shopper" : one_line(e.recipient);
    entry("for", whom + (e.department.empty() ? "" : ", so " + one_line(e.department)), e.words.empty() ? "" : "by " + in_quotes(e.words));
  }
  void tell(const ReferenceResolved& e) {
    entry("reference", product(e.product),
          (e.words.empty() ? "" : "by " + in_quotes(e.words)) + (e.taken.empty() ? "" : ", taken: " + one_line(join(e.taken, ", "))));
  }
  void tell(const ProductRejected& e) { entry("rejected", product(e.product), e.words.empty() ? "" : "by " + in_quotes(e.words)); }
  void tell(const EpochAdvanced& e) {
    epoch_ = turn().epoch = e.to;
    entry("epoch", fmt::format("{} → {}: {}", e.from.value, e.to.value, spaced(to_string(e.reason))));
    if (!e.carried.empty()) entry("carried", names_of(e.carried));
    if (!e.archived.empty()) entry("archived", names_of(e.archived));
  }
  void tell(const ClauseRelaxed& e) {
    entry("relaxed", name_of_constraint(e.constraint), fmt::format("{}; {} → {} products", one_line(e.why), e.pool_before, e.pool_after));
  }
  void tell(const QuestionAsked& e) {
    std::vector<std::string> options;
    for (const QuestionOption& option : e.options) options.push_back(fmt::format("{} ({})", one_line(option.value), option.count));
    std::string why = fmt::format("tells {} of {}, coverage {}", words_of(e.gain), words_of(e.entropy_before), words_of(e.coverage));
    if (!e.rationale.empty()) why += ": " + one_line(e.rationale);
    entry("asked", spaced(e.facet) + (options.empty() ? "" : ": " + join(options, ", ")), std::move(why));
  }
  void tell(const QuestionAnswered& e) { entry("answered", spaced(e.facet) + ": " + spaced(to_string(e.outcome))); }
  void tell(const ProductsShown& e) {
    if (e.products.empty()) return entry("shown", "nothing", fmt::format("{} products match", e.matching));
    entry("shown", fmt::format("{} of {} that match", e.products.size(), e.matching), fmt::format("route {}", spaced(to_string(e.route))));
    for (std::size_t i = 0; i < e.products.size(); ++i) {
      entry("", fmt::format("{}. {}", i + 1, product(e.products[i].id)),
            fmt::format("{} points, {}", e.products[i].score.value, words_of(e.products[i].confidence)));
    }
  }
  void tell(const ReplySent& e) { entry("reply", in_quotes(e.text)); }
  void tell(const TurnCompleted&) {}
  void tell(const TurnParked& e) { entry("parked", fmt::format("given up after {} attempts", e.attempts), one_line(e.reason)); }
  void tell(const EngineChanged& e) {
    entry("engine", fmt::format("index {}…, policy {}…, decisions {}", to_hex(e.artefact_to.value).substr(0, 12),
                                to_hex(e.policy_to.value).substr(0, 12), e.decision_to));
  }
  void tell(const ProfileUpdated& e) {
    entry("profile", "long-term taste updated", fmt::format("similarity {}, step {}", words_of(e.similarity), words_of(e.alpha)));
  }
  void tell(const SessionClosed& e) { entry("closed", spaced(to_string(e.reason))); }
  void tell(const SessionErased& e) { entry("erased", "by " + one_line(e.by)); }

  const TitleLookup& title_;
  Audit audit_;
  const Event* event_ = nullptr;
  Epoch epoch_{1};
  std::map<ConstraintId, ConstraintSet> constraints_;
};

}  // namespace

Audit audit_events(const SessionId& session, const std::vector<Event>& events, const TitleLookup& title) {
  AuditBuilder builder(session, title);
  for (const Event& event : events) builder.feed(event);
  return builder.take();
}

Result<Audit> audit_session(const Ledger& ledger, const SessionId& session, const TitleLookup& title) {
  AuditBuilder builder(session, title);
  auto read = for_each_event(ledger, stream_of(session), [&](const Event& event) {
    builder.feed(event);
    return true;
  });
  if (!read) return tl::unexpected(std::move(read.error()));
  return builder.take();
}

nlohmann::json to_json(const Audit& audit) {
  Json turns = Json::array();
  for (const AuditTurn& turn : audit.turns) {
    Json entries = Json::array();
    for (const AuditEntry& entry : turn.entries) {
      if (entry.kind.empty()) continue;  // the lines of a list: the event holds them
      Json json{{"kind", entry.kind}, {"text", entry.text}, {"event", entry.sequence.value}};
      if (!entry.aside.empty()) json["aside"] = entry.aside;
      entries.push_back(std::move(json));
    }
    Json events = Json::array();
    for (const Event& event : turn.events) events.push_back(to_json(event));
    turns.push_back({{"turn", turn.turn.value},
                     {"epoch", turn.epoch.value},
                     {"said", events.empty() ? Json("") : to_json(EventBody(ReplySent{turn.said}))["text"]},
                     {"attempts", turn.attempts},
                     {"timeline", std::move(entries)},
                     {"events", std::move(events)}});
  }
  return Json{{"session", audit.session.value}, {"policy", audit.policy_variant}, {"turns", std::move(turns)}};
}

}  // namespace turnstone
