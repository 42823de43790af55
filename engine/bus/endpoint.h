// Where a bus may listen and connect, and who may own it.
//
// Without keys only on this host: ipc sockets in a directory of our own (mode 0700), or tcp on a loopback address.
// A lock file beside an ipc socket names the engine that owns it.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "events/error.h"

namespace turnstone::bus {

struct Endpoint {
  enum class Scheme : std::uint8_t { ipc, tcp } scheme = Scheme::ipc;
  std::string path;          // ipc: absolute path of the socket
  std::string host;          // tcp: address or name; * for every address of this host
  std::string port;          // tcp: number, or * to let the system choose
  std::string text() const;  // as ZeroMQ takes it
  // Where publications are bound: PATH.events; on a loopback address a port of the system's choice, else the port after
  // the bus's, which a firewall can be told.
  std::string publisher() const;
  bool on_this_host() const;  // ipc, or a loopback address
};

// Errors: invalid_argument (no endpoint of either form, path too long).
Result<Endpoint> parse_endpoint(std::string_view text);
// refused: an endpoint that other hosts reach, without keys.
Status check_keys(const Endpoint& endpoint, bool has_keys);

// Ownership of an ipc endpoint, from claim to destruction (or the process's death).
class EndpointClaim {
 public:
  EndpointClaim() = default;
  EndpointClaim(EndpointClaim&& other) noexcept;
  EndpointClaim& operator=(EndpointClaim&& other) noexcept;
  ~EndpointClaim();

 private:
  friend Result<EndpointClaim> claim(const Endpoint& endpoint);
  int lock_ = -1;
};

// Makes the private directory and takes the lock. For tcp there is nothing to take: binding decides.
// Errors: refused (the directory is open to others), locked (names the owner's pid), io.
Result<EndpointClaim> claim(const Endpoint& endpoint);

}  // namespace turnstone::bus
