#include "tests/simulation/subscriber.h"

#include <algorithm>
#include <utility>

namespace turnstone::simulation {
namespace {

constexpr std::int64_t tick_us = 50'000;
constexpr std::int64_t hello_us = 200'000;

}  // namespace

Subscriber::Subscriber(Site& site, WorkerId id, SubscriberStore& store)
    : site_(site), id_(std::move(id)), store_(store), bus_(site.network.connect(id_)), follower_(store.position) {}

Subscriber::~Subscriber() { site_.network.disconnect(id_); }

std::optional<std::int64_t> Subscriber::next_us() const {
  if (paused_until_us_ > site_.now_us) return paused_until_us_;
  const auto arrival = site_.network.next_for(id_);
  return arrival ? std::min(*arrival, tick_at_us_) : tick_at_us_;
}

void Subscriber::say_hello() {
  hello_at_us_ = site_.now_us;
  bus::Hello hello;
  hello.worker = id_;
  hello.name = "subscriber";
  bus_->send(hello);
}

void Subscriber::receive() {
  while (auto publication = bus_->receive_published()) follower_.on_published(std::move(*publication));
  while (auto message = bus_->receive()) {
    if (const auto* welcome = std::get_if<bus::Welcome>(&*message)) {
      bus_->follow(welcome->publisher);
      bus_->subscribe("");
      welcomed_ = true;
    } else if (const auto* commits = std::get_if<bus::Commits>(&*message)) {
      follower_.on_commits(*commits);
    } else if (std::holds_alternative<bus::Refusal>(*message) || std::holds_alternative<bus::Bye>(*message)) {
      welcomed_ = false;
    } else if (const auto* ping = std::get_if<bus::Ping>(&*message)) {
      bus_->send(bus::Pong{ping->run, ping->number, 0});
    }
  }
}

void Subscriber::step() {
  if (dead_ || paused_until_us_ > site_.now_us) return;
  receive();
  tick_at_us_ = site_.now_us + tick_us;
  if (!welcomed_ && site_.now_us - hello_at_us_ >= hello_us) say_hello();
  if (const auto read = follower_.wanted(site_.now_us)) bus_->send(*read);
  auto news = follower_.take();
  if (news.empty()) return;
  if (site_.switches.strikes(Place::subscriber_dies)) {  // with news that it has not stored
    site_.note([&] { return "switch subscriber_dies: " + id_.value; });
    dead_ = true;
    return;
  }
  store_.position = follower_.delivered();
  std::move(news.begin(), news.end(), std::back_inserter(store_.received));
  if (site_.switches.strikes(Place::subscriber_sleeps)) pause_for(site_.random.between(100'000, 3'000'000));
}

}  // namespace turnstone::simulation
