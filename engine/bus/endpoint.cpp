#include "engine/bus/endpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace turnstone::bus {
namespace {

constexpr std::string_view publisher_suffix = ".events";
constexpr std::size_t ipc_path_bytes_max = sizeof(sockaddr_un{}.sun_path) - 1 - publisher_suffix.size();

std::string reason() { return std::strerror(errno); }

bool loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  return host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
}

Result<Endpoint> parse_ipc(std::string_view path) {
  if (path.empty() || path.front() != '/' || path.back() == '/') {
    return fail(ErrorCode::invalid_argument, "the bus endpoint \"ipc://" + std::string(path) + "\" needs an absolute path: ipc:///DIRECTORY/NAME");
  }
  if (path.size() > ipc_path_bytes_max) {
    return fail(ErrorCode::invalid_argument, "the bus endpoint's path has " + std::to_string(path.size()) + " bytes, a socket's at most " +
                                                 std::to_string(ipc_path_bytes_max) + "; choose a shorter directory");
  }
  Endpoint endpoint;
  endpoint.path = path;
  return endpoint;
}

Result<Endpoint> parse_tcp(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  const std::string_view host = colon == std::string_view::npos ? std::string_view{} : address.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? std::string_view{} : address.substr(colon + 1);
  const bool number = !port.empty() && port.size() <= 5 && port.find_first_not_of("0123456789") == std::string_view::npos;
  if (host.empty() || !(number || port == "*") || (number && std::stoi(std::string(port)) > 65'534)) {
    return fail(ErrorCode::invalid_argument, "the bus endpoint \"tcp://" + std::string(address) + "\" is not of the form tcp://HOST:PORT");
  }
  if (number && std::stoi(std::string(port)) == 0) {
    return fail(ErrorCode::invalid_argument, "the bus endpoint \"tcp://" + std::string(address) + "\" has port 0, to which nobody can connect: give a port from 1 on" +
                                                 (loopback(host) ? ", or * to let the system choose one" : ""));
  }
  if (!loopback(host) && port == "*") {
    return fail(ErrorCode::invalid_argument, "a bus that other hosts reach needs a port that they can be told: tcp://" + std::string(host) + ":PORT");
  }
  Endpoint endpoint;
  endpoint.scheme = Endpoint::Scheme::tcp;
  endpoint.host = host;
  endpoint.port = port;
  return endpoint;
}

Status make_private_directory(const std::filesystem::path& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory.parent_path(), error);  // the last one is checked below
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(ErrorCode::io, "cannot make the bus directory " + directory.string() + ": " + reason());
  }
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0)
    return fail(ErrorCode::io, "cannot look at the bus directory " + directory.string() + ": " + reason());
  if (!S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() || (status.st_mode & 077U) != 0) {
    return fail(ErrorCode::refused,
                "the bus directory " + directory.string() +
                    " must be a directory of this user alone (mode 0700): give the bus a directory of its own, or run chmod 700 on it");
  }
  return {};
}

}  // namespace

std::string Endpoint::text() const { return scheme == Scheme::ipc ? "ipc://" + path : "tcp://" + host + ":" + port; }

std::string Endpoint::publisher() const {
  if (scheme == Scheme::ipc) return "ipc://" + path + std::string(publisher_suffix);
  return "tcp://" + host + ":" + (on_this_host() ? "*" : std::to_string(std::stoi(port) + 1));
}

bool Endpoint::on_this_host() const { return scheme == Scheme::ipc || loopback(host); }

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return fail(ErrorCode::invalid_argument, "the bus endpoint holds a zero byte");
  if (text.starts_with("ipc://")) return parse_ipc(text.substr(6));
  if (text.starts_with("tcp://")) return parse_tcp(text.substr(6));
  return fail(ErrorCode::invalid_argument, "the bus endpoint \"" + std::string(text) + "\" is neither ipc:///DIRECTORY/NAME nor tcp://HOST:PORT");
}

Status check_keys(const Endpoint& endpoint, bool has_keys) {
  if (has_keys || endpoint.on_this_host()) return {};
  return fail(ErrorCode::refused,
              "the bus endpoint \"" + endpoint.text() +
                  "\" is open to other hosts, which needs keys on both sides (`turnstone keys --for bus`): an engine takes --bus-key "
                  "and --worker-keys, a worker --bus-key and --engine-key; without keys use tcp://127.0.0.1:PORT or ipc:///DIRECTORY/NAME");
}

EndpointClaim::EndpointClaim(EndpointClaim&& other) noexcept : lock_(std::exchange(other.lock_, -1)) {}

EndpointClaim& EndpointClaim::operator=(EndpointClaim&& other) noexcept {
  std::swap(lock_, other.lock_);
  return *this;
}

EndpointClaim::~EndpointClaim() {
  if (lock_ >= 0) ::close(lock_);  // the lock goes with it; the file stays, so that nobody locks an unlinked one
}

Result<EndpointClaim> claim(const Endpoint& endpoint) {
  EndpointClaim owned;
  if (endpoint.scheme == Endpoint::Scheme::tcp) return owned;
  if (auto made = make_private_directory(std::filesystem::path(endpoint.path).parent_path()); !made) return tl::unexpected(made.error());
  const std::string file = endpoint.path + ".lock";
  owned.lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (owned.lock_ < 0) return fail(ErrorCode::io, "cannot open " + file + ": " + reason());
  if (::flock(owned.lock_, LOCK_EX | LOCK_NB) != 0) {
    char pid[32] = {};
    const ssize_t size = ::pread(owned.lock_, pid, sizeof pid - 1, 0);
    const std::string owner(pid, size > 0 ? static_cast<std::size_t>(size) : 0);
    return fail(ErrorCode::locked, "another engine" + (owner.empty() ? std::string() : " (pid " + owner + ")") + " owns the bus " + endpoint.text() +
                                       "; stop it, or give this one another endpoint");
  }
  const std::string pid = std::to_string(::getpid());
  if (::ftruncate(owned.lock_, 0) != 0 || ::pwrite(owned.lock_, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail(ErrorCode::io, "cannot write " + file + ": " + reason());
  }
  return owned;
}

}  // namespace turnstone::bus
