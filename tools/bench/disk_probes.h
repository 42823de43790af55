// Raw probes of what a durable turn rests on: the disk's sync, RocksDB's batches, the bus's sockets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "events/error.h"

namespace turnstone {

// Microseconds of 1 kB appended to a file in `directory` and fdatasync, `count` more of them.
Status add_fdatasyncs(const std::string& directory, std::size_t count, std::vector<std::int64_t>& us);
// Microseconds of so many bytes written to a new file in `directory` and fdatasync, once more.
Status add_synced_write(const std::string& directory, std::size_t bytes, std::vector<std::int64_t>& us);
// Microseconds of 1 kB to a ROUTER and back over ipc, `count` more of them.
void add_bus_echoes(std::size_t count, std::vector<std::int64_t>& us);

// The puts of a turn's two batches, and how many bytes each has.
struct TurnOnDisk {
  struct Puts {
    std::size_t count = 0, bytes = 0;
  } accept, commit;
};
struct CoalescedTurns {
  std::size_t turns = 0;
  double seconds = 0;
};
// The best that any ledger on RocksDB could do: the batches of `turns_a_sync` turns, then one sync, `syncs` times, in a new database of
// `directory` with the ledger's own options.
Result<CoalescedTurns> coalesced_turns(const std::string& directory, const TurnOnDisk& turn, std::size_t turns_a_sync, std::size_t syncs);

}  // namespace turnstone
