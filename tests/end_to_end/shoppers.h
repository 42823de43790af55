// Front ends under test: each shopper holds one conversation, sends every turn again under its key until it is
// answered, and keeps what was acknowledged. Then: is every acknowledged turn in the ledger, once and in order?
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "engine/gateway/http_client.h"
#include "tests/end_to_end/deployment.h"

namespace turnstone::end_to_end {

struct Acknowledged {
  std::string session;
  std::string key;
  std::string text;
  std::uint32_t turn = 0;
  std::string document;  // the reply as stored: without its timing
};

// The reply document as the ledger holds it.
std::string without_timing(const std::string& body);
std::uint32_t turn_of(const std::string& document);

// A whole turn with repetitions until it is answered; nothing when `stop` was set before.
struct Turn {
  std::string session, key, text;
};
// `refused` counts the answers, and missing answers, after which it had to be repeated.
std::optional<Acknowledged> take_turn_surely(HttpClient& client, const Turn& turn, const std::atomic<bool>& stop,
                                             std::atomic<std::size_t>* refused = nullptr);
void create_session(const Deployment& deployment, const std::string& session);

// Shoppers on threads of their own.
class Shoppers {
 public:
  Shoppers(const Deployment& deployment, std::size_t count, std::uint32_t seed);
  ~Shoppers() { stop(); }
  std::size_t acknowledged() const { return count_; }
  std::size_t refused() const { return refused_; }  // answers that were no reply: turns that had to be sent again
  // Waits until so many turns more have been acknowledged.
  void wait_for(std::size_t more) const;
  // Ends them; each ends its turn unless `at_once`.
  void stop();
  std::vector<Acknowledged> all() const;  // after stop()

 private:
  void converse(HttpClient client, std::size_t number, std::uint32_t seed);

  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> count_{0}, refused_{0};
  std::vector<std::vector<Acknowledged>> heard_;  // by shopper
  std::vector<std::thread> threads_;
};

// Opens the ledger (no engine may have it) and holds it against what was acknowledged: every acknowledged turn stands
// there once, under its key, with the reply that the shopper got; sequences and turns have no gap; no turn has two ends.
// Then the program's own verify and replay must find nothing.
void check_ledger(Deployment& deployment, const std::vector<Acknowledged>& acknowledged);

}  // namespace turnstone::end_to_end
