#include "engine/gateway/api.h"

#include <fmt/core.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/gateway/problem.h"
#include "engine/gateway/request_body.h"
#include "engine/gateway/target.h"
#include "engine/metrics.h"
#include "events/ascii.h"
#include "events/documents.h"

namespace turnstone {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t events_bytes_max = 4'000'000;  // of one answer; `next` says where to go on

std::string dump(const ordered_json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

HttpResponse json_response(unsigned status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

// 128 random bits, for a turn whose sender named no key.
TurnKey fresh_turn_key() {
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::string text = "k-";
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return TurnKey{std::move(text)};
}

// Adds the last field to a stored reply without touching its bytes: "{…}" becomes "{…,"timing_us":{…}}".
std::string with_timing(std::string document, std::int64_t total_us) {
  const std::size_t brace = document.rfind('}');
  if (brace == std::string::npos) return document;
  const std::size_t last = document.find_last_not_of(" \t\r\n", brace - 1);
  const bool empty = last == std::string::npos || document[last] == '{';
  document.insert(brace, fmt::format("{}\"timing_us\":{{\"total\":{}}}", empty ? "" : ",", total_us));
  return document;
}

// The number in query parameter `name`, or `otherwise` when it is not given.
template <class Number>
Result<Number> number_parameter(const Target& target, std::string_view name, Number otherwise, Number least, Number most) {
  const auto found = std::find_if(target.parameters.begin(), target.parameters.end(), [&](const auto& pair) { return pair.first == name; });
  if (found == target.parameters.end()) return otherwise;
  const std::string& text = found->second;
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return fail(ErrorCode::invalid_argument, fmt::format("the parameter \"{}\" must be a whole number from {} to {}", name, least, most));
  }
  return number;
}

// "LOCALHOST:8080" → "localhost", "[::1]:8080" → "[::1]".
std::string host_name(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) host = host.substr(0, colon);
  return ascii_lower(host);
}

bool is_json(const HttpRequest& request) {
  const auto types = values_of(request.headers, "Content-Type");
  if (types.size() != 1) return false;
  std::string_view type = types.front().substr(0, types.front().find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  return equal_ignoring_case(type, "application/json");
}

// {"session","events":[…],"next": the sequence to go on from, or null at the end}. Joined as text, so that it can
// stop at its size limit.
std::string events_document(const SessionId& session, const std::vector<Event>& events, std::size_t limit) {
  std::string document = "{\"session\":" + dump(session.value) + ",\"events\":[";
  std::size_t written = 0;
  for (const Event& event : events) {
    if (document.size() > events_bytes_max) break;
    if (written++ > 0) document += ',';
    document += to_json(event).dump(-1, ' ', false, json::error_handler_t::replace);
  }
  const bool more = written > 0 && (written < events.size() || events.size() == limit);
  document += fmt::format("],\"next\":{}}}", more ? std::to_string(events[written - 1].sequence.value + 1) : "null");
  return document;
}

HttpResponse unexpected_fault() {
  return problem({ErrorCode::internal, "the request met an unexpected fault, such as too little memory; try again"});
}

}  // namespace

struct Api::Call {
  const HttpRequest& request;
  HttpRespond respond;
  Target target;
  SessionId session;  // of the endpoints below /v1/sessions/{id}
  HttpResponse late = problem(504, "timeout", "the engine did not answer in time; try again");
  std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();

  // Answers with what `work` returns, run where it may block.
  void blocking(const RunBlocking& run, std::function<HttpResponse()> work) const {
    run([respond = respond, work = std::move(work)] {
      try {
        respond(work());
      } catch (const std::exception&) {
        respond(unexpected_fault());
      }
    });
  }
  void refuse(const Error& error) const { respond(problem(error)); }

  // Answers 405 and returns false unless the method is `method` (GET includes HEAD).
  bool needs(std::string_view method) const {
    if (request.method == method || (method == "GET" && request.method == "HEAD")) return true;
    HttpResponse response = problem(405, "method_not_allowed", fmt::format("this endpoint answers {} only", method));
    response.headers.emplace_back("Allow", method == "GET" ? "GET, HEAD" : std::string(method));
    respond(std::move(response));
    return false;
  }
  // Answers 415 and returns false unless the body is empty or JSON. Browsers let a page send JSON to another origin
  // only if that origin agrees, which this one never does: the check also keeps foreign pages out.
  bool needs_json() const {
    if (request.body.empty() || is_json(request)) return true;
    respond(problem(415, "unsupported_media_type", "send the body as JSON, with the header Content-Type: application/json"));
    return false;
  }
};

Api::Api(ConversationService& service, RunBlocking run_blocking, ApiOptions options)
    : service_(service), run_blocking_(std::move(run_blocking)), options_(std::move(options)) {}

HttpResponse Api::handle(const HttpRequest& request, HttpRespond respond) const {
  Call call{.request = request, .respond = std::move(respond), .target = {}, .session = {}};
  try {
    route(call);
  } catch (const std::exception&) {  // out of memory, and what ought not to be
    call.respond(unexpected_fault());
  }
  return std::move(call.late);
}

// Answers and returns false when the request was sent to a host name, or by a web page, that is not ours.
bool Api::known_sender(const Call& call) const {
  const auto hosts = values_of(call.request.headers, "Host");
  if (hosts.size() > 1) return call.refuse({ErrorCode::invalid_argument, "a request has one Host header"}), false;
  if (!options_.hosts) return true;
  const auto known = [this](std::string_view host) {
    return std::find(options_.hosts->begin(), options_.hosts->end(), host_name(host)) != options_.hosts->end();
  };
  if (!hosts.empty() && !known(hosts.front())) {
    call.respond(
        problem(421, "unknown_host", "the engine does not answer under this host name; use its address, or start it with --allow-host NAME"));
    return false;
  }
  for (std::string_view origin : values_of(call.request.headers, "Origin")) {
    const std::size_t scheme = origin.find("://");
    if (scheme != std::string_view::npos && known(origin.substr(scheme + 3))) continue;
    call.respond(problem(403, "foreign_origin", "web pages of other origins may not use the engine; start it with --allow-host NAME to allow one"));
    return false;
  }
  return true;
}

void Api::route(Call& call) const {
  if (!known_sender(call)) return;
  auto target = parse_target(call.request.target);
  if (!target) return call.refuse(target.error());
  call.target = std::move(*target);

  const auto& segments = call.target.segments;
  if (segments.size() == 1 && segments[0] == "healthz") return health(call);
  if (segments.size() == 1 && segments[0] == "readyz") return readiness(call);
  if (segments.size() == 1 && segments[0] == "metrics" && options_.metrics) return metrics(call);
  if (segments.size() == 2 && segments[0] == "v1" && segments[1] == "sessions") return create_session(call);
  if (segments.size() == 3 && segments[0] == "v1" && (segments[1] == "sessions" || segments[1] == "profiles")) {
    const bool session = segments[1] == "sessions";
    if (Status status = check_name(session ? "the session's name" : "the profile's name", segments[2], session_id_bytes_max); !status) {
      return call.refuse(status.error());
    }
    ConversationService::ErasureWanted wanted;
    if (session) wanted.session = SessionId{segments[2]};
    if (!session) wanted.profile = ProfileId{segments[2]};
    return erase(call, std::move(wanted));
  }
  if (segments.size() == 4 && segments[0] == "v1" && segments[1] == "sessions") {
    const std::string& part = segments[3];
    if (part == "turns" || part == "state" || part == "events") {
      if (Status status = check_name("the session's name", segments[2], session_id_bytes_max); !status) return call.refuse(status.error());
      call.session = SessionId{segments[2]};
      return part == "turns" ? take_turn(call) : part == "state" ? read_state(call) : read_events(call);
    }
  }
  call.respond(problem(404, to_string(ErrorCode::not_found), "there is no such endpoint; docs/http-api.md lists them"));
}

void Api::create_session(Call& call) const {
  if (!call.needs("POST") || !call.needs_json()) return;
  auto session = read_new_session(call.request.body);
  if (!session) return call.refuse(session.error());
  service_.create_session(std::move(*session), [respond = call.respond](Result<ConversationService::SessionCreated> created) {
    if (!created) return respond(problem(created.error()));
    HttpResponse response = json_response(created->created ? 201 : 200, dump({{"session", created->session.value}}));
    response.headers.emplace_back("Location", "/v1/sessions/" + percent_encode(created->session.value) + "/state");
    respond(std::move(response));
  });
}

void Api::erase(Call& call, ConversationService::ErasureWanted wanted) const {
  if (!call.needs("DELETE")) return;
  if (!options_.allow_erasure) {
    return call.respond(problem(403, "erasure_not_allowed", "this engine erases nothing over HTTP; start it with --allow-erase, or erase while it is stopped"));
  }
  wanted.by = "http";
  for (const auto& [name, value] : call.target.parameters) {
    if (name == "by") wanted.by = value;
  }
  if (Status status = check_name("who erases", wanted.by, erased_by_bytes_max); !status) return call.refuse(status.error());
  service_.erase(std::move(wanted), [respond = call.respond](Result<ConversationService::ErasureDone> done) {
    if (!done) return respond(problem(done.error()));
    auto erased = ordered_json::array();
    for (const StreamId& stream : done->erased) {
      erased.push_back({{"kind", stream.kind == StreamKind::session ? "session" : "profile"}, {"id", stream.name}});
    }
    respond(json_response(200, dump({{"erased", erased}, {"erased_before", done->before}})));
  });
}

void Api::take_turn(Call& call) const {
  if (!call.needs("POST") || !call.needs_json()) return;
  const auto keys = values_of(call.request.headers, "Idempotency-Key");
  if (keys.size() > 1) return call.refuse({ErrorCode::invalid_argument, "a turn has one Idempotency-Key header"});
  if (!keys.empty()) {
    if (Status status = check_name("the Idempotency-Key", keys.front(), turn_key_bytes_max); !status) return call.refuse(status.error());
  }
  auto turn = read_turn(call.request.body, call.session, keys.empty() ? fresh_turn_key() : TurnKey{std::string(keys.front())});
  if (!turn) return call.refuse(turn.error());

  call.late = problem(504, "timeout", "the turn is still being worked on; send it again with the same Idempotency-Key to get its reply");
  call.late.headers = {{"Idempotency-Key", turn->key.value}, {"Retry-After", "1"}};
  const std::string key = turn->key.value;
  service_.take_turn(std::move(*turn), [respond = call.respond, begun = call.begun, key](Result<TurnReply> reply) {
    HttpResponse response;
    if (reply) {
      const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begun);
      response = json_response(200, with_timing(std::move(reply->document), took.count()));
      if (reply->repeated) response.headers.emplace_back("Idempotency-Replayed", "true");
    } else {
      response = problem(reply.error());
    }
    response.headers.emplace_back("Idempotency-Key", key);
    respond(std::move(response));
  });
}

void Api::read_state(Call& call) const {
  if (!call.needs("GET")) return;
  const bool latest = std::none_of(call.target.parameters.begin(), call.target.parameters.end(), [](const auto& pair) { return pair.first == "at"; });
  const auto at = number_parameter<std::uint32_t>(call.target, "at", 0, 0, UINT32_MAX);
  if (!at) return call.refuse(at.error());
  std::optional<TurnNumber> turn;
  if (!latest) turn = TurnNumber{*at};
  call.blocking(run_blocking_, [this, session = call.session, turn] {
    auto document = service_.state_document(session, turn);
    return document ? json_response(200, std::move(*document)) : problem(document.error());
  });
}

void Api::read_events(Call& call) const {
  if (!call.needs("GET")) return;
  const auto from = number_parameter<std::uint64_t>(call.target, "from", 1, 1, UINT64_MAX);
  const auto limit = number_parameter<std::size_t>(call.target, "limit", events_default, 1, events_max);
  if (!from) return call.refuse(from.error());
  if (!limit) return call.refuse(limit.error());
  call.blocking(run_blocking_, [this, session = call.session, from = Sequence{*from}, limit = *limit] {
    const auto events = service_.events(session, from, limit);
    return events ? json_response(200, events_document(session, *events, limit)) : problem(events.error());
  });
}

void Api::health(Call& call) const {
  if (!call.needs("GET")) return;
  call.respond(json_response(200, R"({"status":"ok"})"));
}

void Api::metrics(Call& call) const {
  if (!call.needs("GET")) return;
  HttpResponse response = json_response(200, options_.metrics());
  response.content_type = metrics_content_type;
  call.respond(std::move(response));
}

void Api::readiness(Call& call) const {
  if (!call.needs("GET")) return;
  const Readiness readiness = service_.readiness();
  if (!readiness.ready) {
    HttpResponse response = problem(503, "not_ready", readiness.reason);
    response.headers.emplace_back("Retry-After", "1");
    return call.respond(std::move(response));
  }
  call.respond(json_response(
      200, dump({{"ready", true}, {"workers", readiness.workers}, {"in_flight", readiness.in_flight}, {"waiting", readiness.waiting}})));
}

}  // namespace turnstone
