#include "tools/bench/disk_probes.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <zmq.hpp>

#include "storage/ledger/open_ledger.h"
#include "storage/ledger/store.h"
#include "tools/temporary_folder.h"

namespace turnstone {
namespace {

using SteadyClock = std::chrono::steady_clock;
constexpr std::size_t probe_bytes = 1'024;

std::int64_t us_since(SteadyClock::time_point begun) { return std::chrono::duration_cast<std::chrono::microseconds>(SteadyClock::now() - begun).count(); }

// `count` times so many bytes, each written and synced.
Status add_writes(const std::string& directory, std::size_t size, std::size_t count, std::vector<std::int64_t>& us) {
  const std::string file = directory + "/sync-probe";
  const int descriptor = ::open(file.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(ErrorCode::io, file + " cannot be made (" + std::strerror(errno) + "); check the folder");
  ::unlink(file.c_str());
  const std::string bytes(size, 'x');
  bool good = true;
  for (std::size_t i = 0; i < count && good; ++i) {
    const auto begun = SteadyClock::now();
    good = ::write(descriptor, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && ::fdatasync(descriptor) == 0;
    if (good) us.push_back(us_since(begun));
  }
  ::close(descriptor);
  return good ? Status{} : Status(fail(ErrorCode::io, "a file in " + directory + " cannot be written and synced; check the disk"));
}

void echo_back(zmq::socket_t& router, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    zmq::message_t peer, frame;
    if (!router.recv(peer) || !router.recv(frame)) return;
    router.send(peer, zmq::send_flags::sndmore);
    router.send(frame, zmq::send_flags::none);
  }
}

}  // namespace

Status add_fdatasyncs(const std::string& directory, std::size_t count, std::vector<std::int64_t>& us) { return add_writes(directory, probe_bytes, count, us); }
Status add_synced_write(const std::string& directory, std::size_t bytes, std::vector<std::int64_t>& us) { return add_writes(directory, bytes, 1, us); }

void add_bus_echoes(std::size_t count, std::vector<std::int64_t>& us) {
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind("ipc://*");
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.connect(router.get(zmq::sockopt::last_endpoint));
  const std::jthread echo([&router, count] { echo_back(router, count); });
  const std::string bytes(probe_bytes, 'x');
  for (std::size_t i = 0; i < count; ++i) {
    const auto begun = SteadyClock::now();
    zmq::message_t answer;
    dealer.send(zmq::buffer(bytes), zmq::send_flags::none);
    if (!dealer.recv(answer)) break;
    us.push_back(us_since(begun));
  }
}

Result<CoalescedTurns> coalesced_turns(const std::string& directory, const TurnOnDisk& turn, std::size_t turns_a_sync, std::size_t syncs) {
  const auto folder = TemporaryFolder::make(directory);
  if (!folder) return tl::unexpected(folder.error());
  auto store = open_rocks_store((*folder)->path() + "/probe", {}, nullptr);
  if (!store) return tl::unexpected(store.error());
  std::uint64_t number = 0;
  const auto write = [&](const TurnOnDisk::Puts& puts) {
    WriteBatch batch;
    for (std::size_t i = 0; i < puts.count; ++i) batch.put("E" + std::to_string(number++), std::string(puts.bytes, 'e'));
    return (*store)->write(batch);
  };
  const auto begun = SteadyClock::now();
  for (std::size_t sync = 0; sync < syncs; ++sync) {
    for (std::size_t i = 0; i < turns_a_sync; ++i) {
      if (auto accepted = write(turn.accept); !accepted) return tl::unexpected(accepted.error());
      if (auto committed = write(turn.commit); !committed) return tl::unexpected(committed.error());
    }
    if (auto synced = (*store)->sync({}); !synced) return tl::unexpected(synced.error());
  }
  return CoalescedTurns{syncs * turns_a_sync, static_cast<double>(us_since(begun)) / 1e6};
}

}  // namespace turnstone
