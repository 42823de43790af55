// One shopper's front end: asks over HTTP, with an idempotency key a turn, and asks again until it is answered.
//
// It checks what any client may rely on: the same key gets the same reply, a good request is never refused for good.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/gateway/http_message.h"
#include "tests/simulation/site.h"

namespace turnstone::simulation {

// Sends a request to the engine. `answered` gets the response, or nothing when the connection broke; it is not called
// when either got lost on the way.
using SendHttp = std::function<void(HttpRequest request, std::function<void(std::optional<HttpResponse>)> answered)>;

// What a front end asked for, and what it was told.
struct Ask {
  std::string key;
  std::string text;
  std::int64_t asked_us = 0;  // first
  std::optional<std::string> reply;
  std::int64_t answered_us = 0;
  bool gone = false;  // answered: the session was erased
  std::uint32_t times = 0;  // sent
};

class FrontEnd {
 public:
  FrontEnd(Site& site, std::string session, std::string profile, SendHttp send);  // profile: empty for none

  void ask(std::string text);
  void repeat(std::size_t index) { send(index); }
  // Has the session erased, and asks for it again until that is acknowledged. What is open then ends without a reply.
  void erase();
  // Somebody else has the profile erased: from now on the session may be gone; and that was acknowledged.
  void profile_is_being_erased();
  void profile_was_erased();
  bool erased() const { return erasure_ == Erasure::acknowledged; }
  bool erasing() const { return erasure_ != Erasure::none; }
  bool waits_for_erasure() const { return erasure_ == Erasure::asked_for || erasure_ == Erasure::expected; }
  const std::string& session() const { return session_; }
  const std::string& profile() const { return profile_; }
  const std::vector<Ask>& asks() const { return asks_; }
  std::size_t open() const { return open_; }
  bool created() const { return created_; }
  // Asks again at once what is open.
  void hurry();

 private:
  enum class Erasure : std::uint8_t {
    none,
    asked_for,     // by this front end
    expected,      // with its profile
    acknowledged,
    unknown,       // its profile's was acknowledged before its own start was: it came too late for that, or was taken by it or by a repetition
  };
  void create();
  void send(std::size_t index);
  void answered(std::size_t index, const std::optional<HttpResponse>& response);
  void later(std::size_t index, std::int64_t least_us, std::int64_t most_us);

  Site& site_;
  const std::string session_;
  const std::string profile_;
  SendHttp send_;
  std::vector<Ask> asks_;
  std::size_t open_ = 0;
  bool created_ = false;
  Erasure erasure_ = Erasure::none;
};

}  // namespace turnstone::simulation
