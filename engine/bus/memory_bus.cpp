#include "engine/bus/memory_bus.h"

#include <algorithm>
#include <utility>

#include "engine/bus/codec.h"

namespace turnstone::bus {

void MemoryNetwork::deliver(Queue& queue, const FrameOnItsWay& about, const WorkerId& from, const std::string& frame) {
  const auto delays = plan_ ? plan_(about) : std::vector<std::int64_t>{0};
  for (const std::int64_t delay : delays) queue.emplace(std::pair(now_us_ + delay, ++frames_), Arrival{from, frame});
}

std::optional<MemoryNetwork::Arrival> MemoryNetwork::arrived(Queue& queue) {
  if (queue.empty() || queue.begin()->first.first > now_us_) return std::nullopt;
  Arrival arrival = std::move(queue.begin()->second);
  queue.erase(queue.begin());
  return arrival;
}

std::optional<std::int64_t> MemoryNetwork::next_for_engine() const {
  return to_engine_.empty() ? std::nullopt : std::optional(to_engine_.begin()->first.first);
}

std::optional<std::int64_t> MemoryNetwork::next_for(const WorkerId& id) const {
  const auto peer = peers_.find(id);
  if (peer == peers_.end()) return std::nullopt;
  std::optional<std::int64_t> next;
  for (const Queue* queue : {&peer->second.inbox, &peer->second.publications}) {
    if (!queue->empty() && (!next || queue->begin()->first.first < *next)) next = queue->begin()->first.first;
  }
  return next;
}

std::size_t MemoryNetwork::waiting_for(const WorkerId& id) const {
  const auto peer = peers_.find(id);
  return peer == peers_.end() ? 0 : peer->second.inbox.size();
}

void MemoryNetwork::disconnect(const WorkerId& id) {
  peers_.erase(id);
  for (auto arrival = to_engine_.begin(); arrival != to_engine_.end();) {
    arrival = arrival->second.from == id ? to_engine_.erase(arrival) : std::next(arrival);
  }
}

void MemoryNetwork::stop_engine() {
  engine_running_ = false;
  to_engine_.clear();
  for (auto& [id, peer] : peers_) {
    peer.inbox.clear();
    peer.publications.clear();
  }
}

void MemoryNetwork::inject(const WorkerId& from, std::string frame) {
  to_engine_.emplace(std::pair(now_us_, ++frames_), Arrival{from, std::move(frame)});
}

class MemoryEngineBus final : public EngineBus {
 public:
  explicit MemoryEngineBus(MemoryNetwork& network) : network_(network) {}

  Sent send(const WorkerId& to, const Message& message) override {
    const auto peer = network_.peers_.find(to);
    if (peer == network_.peers_.end()) {
      ++traffic_.unreachable;
      return Sent::unreachable;
    }
    const auto frame = encode(message);
    if (!frame) {
      ++traffic_.refused_sends;
      return Sent::full;
    }
    ++traffic_.sent;
    network_.deliver(peer->second.inbox, {kind_of(message), to, false}, WorkerId{}, *frame);
    return Sent::yes;
  }

  void publish(std::string_view topic, const Publication& publication) override {
    const auto frame = encode(publication);
    if (!frame) {
      ++traffic_.refused_sends;
      return;
    }
    ++traffic_.published;
    for (auto& [id, peer] : network_.peers_) {
      const auto matches = [&](const std::string& prefix) { return topic.starts_with(prefix); };
      if (!peer.follows || peer.publications.size() >= network_.publications_max_ || std::none_of(peer.topics.begin(), peer.topics.end(), matches))
        continue;
      network_.deliver(peer.publications, {Kind::publication, id, false}, WorkerId{}, *frame);
    }
  }

  std::optional<FromPeer> receive() override {
    while (auto arrival = network_.arrived(network_.to_engine_)) {
      auto message = decode(arrival->frame);
      if (message) {
        ++traffic_.received;
        return FromPeer{arrival->from, std::move(*message)};
      }
      ++traffic_.dropped_frames;
      if (message.error().code == ErrorCode::unsupported) send(arrival->from, Refusal{Fault::unsupported_protocol, message.error().detail});
    }
    return std::nullopt;
  }

  const std::string& publisher_endpoint() const override { return endpoint_; }
  const TrafficCounters& traffic() const override { return traffic_; }

 private:
  MemoryNetwork& network_;
  std::string endpoint_ = "memory";
  TrafficCounters traffic_;
};

class MemoryWorkerBus final : public WorkerBus {
 public:
  MemoryWorkerBus(MemoryNetwork& network, WorkerId id) : network_(network), id_(std::move(id)) {}

  Sent send(const Message& message) override {
    const auto frame = encode(message);
    if (!frame) {
      ++traffic_.refused_sends;
      return Sent::full;
    }
    if (!network_.engine_running_ || !network_.peers_.contains(id_)) {
      ++traffic_.unreachable;
      return Sent::unreachable;
    }
    ++traffic_.sent;
    network_.deliver(network_.to_engine_, {kind_of(message), id_, true}, id_, *frame);
    return Sent::yes;
  }

  std::optional<Message> receive() override {
    const auto peer = network_.peers_.find(id_);
    return peer == network_.peers_.end() ? std::nullopt : next(peer->second.inbox);
  }

  std::optional<Publication> receive_published() override {
    const auto peer = network_.peers_.find(id_);
    if (peer == network_.peers_.end()) return std::nullopt;
    auto message = next(peer->second.publications);
    if (!message) return std::nullopt;
    if (auto* publication = std::get_if<Publication>(&*message)) return std::move(*publication);
    return std::nullopt;
  }

  void follow(const std::string&) override {
    if (const auto peer = network_.peers_.find(id_); peer != network_.peers_.end()) peer->second.follows = true;
  }
  void subscribe(std::string_view topic) override {
    if (const auto peer = network_.peers_.find(id_); peer != network_.peers_.end()) peer->second.topics.emplace(topic);
  }
  void unsubscribe(std::string_view topic) override {
    const auto peer = network_.peers_.find(id_);
    if (peer == network_.peers_.end()) return;
    if (const auto found = peer->second.topics.find(topic); found != peer->second.topics.end()) peer->second.topics.erase(found);
  }
  const TrafficCounters& traffic() const override { return traffic_; }

 private:
  std::optional<Message> next(MemoryNetwork::Queue& queue) {
    while (auto arrival = network_.arrived(queue)) {
      if (auto message = decode(arrival->frame)) {
        ++traffic_.received;
        return std::move(*message);
      }
      ++traffic_.dropped_frames;
    }
    return std::nullopt;
  }

  MemoryNetwork& network_;
  WorkerId id_;
  TrafficCounters traffic_;
};

std::unique_ptr<EngineBus> MemoryNetwork::engine() {
  stop_engine();
  engine_running_ = true;
  return std::make_unique<MemoryEngineBus>(*this);
}

std::unique_ptr<WorkerBus> MemoryNetwork::connect(const WorkerId& id) {
  peers_[id];
  return std::make_unique<MemoryWorkerBus>(*this, id);
}

}  // namespace turnstone::bus
