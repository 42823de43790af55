// What the gateway asks of the engine. One implementation: the sequencer (engine/sequencer.h); tests use a
// model of it. All functions may be called from any thread; callbacks run on the sequencer's thread and must
// not block.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/event.h"

namespace turnstone {

struct NewSession {
  std::optional<SessionId> session;  // none: the engine names it
  std::string channel = "http";
  std::string policy_variant = "shopper";
  std::optional<ProfileId> profile;
  std::vector<std::string> preference_tags;
};

struct TurnRequest {
  SessionId session;
  TurnKey key;
  std::string text;
  std::uint32_t top_k = 10;
  std::string front_end;
  std::optional<TurnNumber> retry_of = {};  // a parked turn of the session, tried again
};

struct TurnReply {
  TurnNumber turn;
  std::string document;  // JSON text, as stored
  bool repeated = false; // the answer to a key that was done before
  bool parked = false;
};

struct Readiness {
  bool ready = false;
  std::string reason;             // why not, for people
  std::uint32_t workers = 0;      // live
  std::uint32_t in_flight = 0;
  std::uint32_t waiting = 0;
};

class ConversationService {
 public:
  template <class T>
  using Callback = std::function<void(Result<T>)>;

  virtual ~ConversationService() = default;
  // invalid_argument: a bad id or variant. An existing session is no error: `created` is false.
  struct SessionCreated { SessionId session; bool created = false; };
  virtual void create_session(NewSession session, Callback<SessionCreated> done) = 0;
  // not_found: no such session; key_reused: the key was used for another body; busy: too many waiting;
  // closed, erased; limit_exceeded. A key in flight waits for the one running turn and gets its reply.
  virtual void take_turn(TurnRequest request, Callback<TurnReply> done) = 0;
  // Erases a session and its forks, or a profile and every session that names it (exactly one is given), for good: from then on they answer
  // `erased`. Errors: not_found, invalid_argument, unsupported (a ledger without encryption), no_space, busy.
  struct ErasureWanted { std::optional<SessionId> session; std::optional<ProfileId> profile; std::string by; };
  struct ErasureDone { std::vector<StreamId> erased; std::uint64_t before = 0; };  // before: had been erased already
  virtual void erase(ErasureWanted wanted, Callback<ErasureDone> done) = 0;
  virtual Result<std::string> state_document(const SessionId& session, std::optional<TurnNumber> at) const = 0;
  virtual Result<std::vector<Event>> events(const SessionId& session, Sequence from, std::size_t limit) const = 0;
  virtual Readiness readiness() const = 0;
};

// Limits of what a front end may send; refused with limit_exceeded or invalid_argument beyond them.
inline constexpr std::size_t turn_text_bytes_max = 20'000;
inline constexpr std::size_t session_id_bytes_max = 200;
inline constexpr std::size_t turn_key_bytes_max = 200;
inline constexpr std::size_t erased_by_bytes_max = 95;
inline constexpr std::size_t front_end_bytes_max = 1'000;
inline constexpr std::uint32_t top_k_max = 100;
inline constexpr std::size_t preference_tags_max = 50;
inline constexpr std::size_t preference_tag_bytes_max = 200;

}  // namespace turnstone
