#include "tests/simulation/front_end.h"

#include <utility>

namespace turnstone::simulation {
namespace {

constexpr std::int64_t patience_least_us = 800'000;
constexpr std::int64_t patience_most_us = 2'500'000;

HttpRequest post(std::string target, std::string body) {
  HttpRequest request;
  request.method = "POST";
  request.target = std::move(target);
  request.headers = {{"Content-Type", "application/json"}};
  request.body = std::move(body);
  return request;
}

// The gateway adds how long it took; the rest is the stored reply.
std::string without_timing(const std::string& body) {
  const std::size_t timing = body.rfind(",\"timing_us\":");
  return timing == std::string::npos ? body : body.substr(0, timing) + "}";
}

}  // namespace

FrontEnd::FrontEnd(Site& site, std::string session, std::string profile, SendHttp send)
    : site_(site), session_(std::move(session)), profile_(std::move(profile)), send_(std::move(send)) {
  create();
}

void FrontEnd::create() {
  const std::string profile = profile_.empty() ? "" : ",\"profile\":\"" + profile_ + "\"";
  send_(post("/v1/sessions", "{\"session\":\"" + session_ + "\"" + profile + "}"), [this](const std::optional<HttpResponse>& response) {
    if (!response) return;
    if (response->status == 410 && erasure_ == Erasure::unknown) erasure_ = Erasure::acknowledged;
    created_ = created_ || response->status == 200 || response->status == 201 || (response->status == 410 && erasing());
  });
  site_.after(site_.random.between(200'000, 600'000), [this] {
    if (!created_) create();
  });
}

void FrontEnd::erase() {
  erasure_ = Erasure::asked_for;
  HttpRequest request;
  request.method = "DELETE";
  request.target = "/v1/sessions/" + session_ + "?by=desk";
  send_(std::move(request), [this](const std::optional<HttpResponse>& response) {
    if (!response || response->status >= 500 || erasure_ == Erasure::acknowledged) return;
    if (response->status != 200) return site_.violated("session " + session_ + " cannot be erased: " + response->body);
    site_.note([&] { return "erased " + session_; });
    erasure_ = Erasure::acknowledged;
  });
  site_.after(site_.random.between(300'000, 900'000), [this] {
    if (erasure_ == Erasure::asked_for) erase();
  });
}

void FrontEnd::profile_is_being_erased() {
  if (erasure_ == Erasure::none) erasure_ = Erasure::expected;
}

void FrontEnd::profile_was_erased() {
  if (erasure_ == Erasure::expected) erasure_ = created_ ? Erasure::acknowledged : Erasure::unknown;
}

void FrontEnd::ask(std::string text) {
  Ask ask;
  ask.key = session_ + "-" + std::to_string(asks_.size());
  ask.text = std::move(text);
  ask.asked_us = site_.now_us;
  asks_.push_back(std::move(ask));
  ++open_;
  send(asks_.size() - 1);
}

void FrontEnd::hurry() {
  if (!created_) create();
  for (std::size_t i = 0; i < asks_.size(); ++i) {
    if (!asks_[i].reply && !asks_[i].gone) send(i);
  }
}

void FrontEnd::later(std::size_t index, std::int64_t least_us, std::int64_t most_us) {
  site_.after(site_.random.between(least_us, most_us), [this, index, times = asks_[index].times] {
    if (!asks_[index].reply && !asks_[index].gone && asks_[index].times == times) send(index);
  });
}

void FrontEnd::send(std::size_t index) {
  Ask& ask = asks_[index];
  ++ask.times;
  HttpRequest request = post("/v1/sessions/" + session_ + "/turns", "{\"message\":\"" + ask.text + "\"}");
  request.headers.emplace_back("Idempotency-Key", ask.key);
  send_(std::move(request), [this, index, erased = erased()](const std::optional<HttpResponse>& response) {
    if (erased && response && response->status == 200) site_.violated("session " + session_ + " answers after it was erased");
    answered(index, response);
  });
  if (!ask.reply && !ask.gone) later(index, patience_least_us, patience_most_us);
}

void FrontEnd::answered(std::size_t index, const std::optional<HttpResponse>& response) {
  Ask& ask = asks_[index];
  if (response && response->status == 200) {
    const std::string reply = without_timing(response->body);
    site_.trace.add(reply);
    site_.note([&] { return "answered " + ask.key + ": " + reply; });
    if (ask.reply && *ask.reply != reply) site_.violated("key " + ask.key + " got two different replies: " + *ask.reply + " and " + reply);
    if (ask.reply || ask.gone) return;
    ask.reply = reply;
    ask.answered_us = site_.now_us;
    --open_;
    return;
  }
  if (ask.reply || ask.gone) return;
  const unsigned status = response ? response->status : 0;
  site_.trace.add(status);
  site_.note([&] { return "refused " + ask.key + ": " + (response ? response->body : "the connection broke"); });
  if (status == 410 && erasing()) {
    if (erasure_ == Erasure::unknown) erasure_ = Erasure::acknowledged;
    ask.gone = true;
    --open_;
    return;
  }
  const bool lost_session = status == 404 && !created_;
  if (status == 0 || status >= 500 || lost_session) return later(index, 50'000, 600'000);
  site_.violated("key " + ask.key + " was refused for good: " + response->body);
}

}  // namespace turnstone::simulation
