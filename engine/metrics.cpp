#include "engine/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

namespace turnstone {
namespace {

Metric counter(std::string name, std::string help, std::uint64_t value) {
  return {Metric::Kind::counter, std::move(name), std::move(help), {}, {{"", value}}};
}
Metric counters(std::string name, std::string help, std::string label_name, std::vector<Metric::Sample> samples) {
  return {Metric::Kind::counter, std::move(name), std::move(help), std::move(label_name), std::move(samples)};
}
Metric gauge(std::string name, std::string help, std::uint64_t value) {
  return {Metric::Kind::gauge, std::move(name), std::move(help), {}, {{"", value}}};
}

prometheus::MetricFamily family_of(const Metric& metric) {
  const bool counts = metric.kind == Metric::Kind::counter;
  prometheus::MetricFamily family;
  family.name = "turnstone_" + metric.name;
  family.help = metric.help;
  family.type = counts ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
  for (const Metric::Sample& sample : metric.samples) {
    prometheus::ClientMetric client;
    if (!sample.label.empty()) client.label.push_back({metric.label_name, sample.label});
    (counts ? client.counter.value : client.gauge.value) = static_cast<double>(sample.value);
    family.metric.push_back(std::move(client));
  }
  return family;
}

}  // namespace

std::vector<Metric> metrics_of(const EngineCounters& c) {
  return {
      counter("turns_accepted_total", "Turns written to the ledger as received.", c.turns_accepted),
      counters("turns_finished_total", "Turns that got their result.", "outcome",
               {{"committed", c.turns_committed}, {"parked", c.turns_parked}}),
      counter("turns_repeated_total", "Requests answered from a stored reply.", c.turns_repeated),
      counter("refused_busy_total", "Requests refused because a bounded queue was full.", c.refused_busy),
      counter("tasks_dispatched_total", "Tasks sent to workers.", c.dispatched),
      counter("attempts_raised_total", "Turns tried again with another worker.", c.redispatched),
      counters("proposals_turned_away_total",
               "Proposals that were not committed: late (fenced), of a former engine (stale), at another place (conflict), against a rule (rejected).",
               "reason",
               {{"fenced", c.fenced}, {"stale", c.stale}, {"conflict", c.conflicts}, {"rejected", c.rejected}}),
      counter("tasks_given_back_total", "Tasks that a worker could not finish.", c.failed),
      counter("turns_stalled_total", "Writes of a turn that the ledger refused (a full disk, most likely); each is tried again.", c.stalled),
      counter("ledger_syncs_total", "Disk syncs asked for.", c.syncs),
      counter("ledger_sync_failures_total", "Disk syncs that failed; nothing they covered was acknowledged.", c.sync_failures),
      counter("publications_total", "Durable writes told to subscribers.", c.publications),
      counter("streams_erased_total", "Sessions and profiles whose keys were destroyed.", c.streams_erased),
      counter("sessions_moved_total", "Sessions that went on under another artefact, policy or decision version.", c.engine_changes),
      counter("workers_joined_total", "Workers that joined.", c.workers_joined),
      counters("workers_lost_total", "Workers that went, or did not answer in time.", "reason",
               {{"gone", c.workers_gone}, {"hung", c.workers_hung}}),
      counters("bus_messages_total", "Messages of the bus.", "direction",
               {{"received", c.traffic.received}, {"sent", c.traffic.sent}, {"published", c.traffic.published}}),
      counters("bus_dropped_total", "Messages dropped: unreadable frames, peers that are gone, full queues.", "reason",
               {{"unreadable", c.traffic.dropped_frames}, {"unreachable", c.traffic.unreachable}, {"refused", c.traffic.refused_sends}}),
      gauge("turns_in_flight", "Turns that a worker has or will get next.", c.in_flight),
      gauge("turns_waiting", "Turns that wait behind another of their session, or for the first worker.", c.waiting),
      gauge("workers", "Workers that live.", c.workers),
  };
}

std::string exposition(const std::vector<Metric>& metrics) {
  std::vector<prometheus::MetricFamily> families;
  families.reserve(metrics.size());
  for (const Metric& metric : metrics) families.push_back(family_of(metric));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace turnstone
