// The keys of a ledger's streams, outside its database: a deleted database value lives on in old files, an overwritten
// key does not.
//
// A key lives in a numbered slot. Slots are made ahead, a block at a time and synced, so that a new session costs no sync;
// which stream uses which slot stands in the stream's head. erase() overwrites the slot in place and syncs it; who did it and
// when takes the key's place and stays. Slots are wrapped by a master key; so is the ledger key, by which ids are hashed.
// Thread safety: keys() and erased() from any thread; reserve() and erase() from one at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "events/error.h"
#include "events/types.h"

namespace turnstone {

using KeySlot = Named<struct KeySlotTag, std::uint32_t>;  // 1, 2, 3 …; 0 = none
using SecretKey = std::array<std::uint8_t, 32>;

struct Erasure {
  std::string by;  // at most 95 bytes are kept
  Timestamp at;
};

// What a slot's key is used for, each with a key of its own.
struct SlotKeys {
  SecretKey encryption{};
  SecretKey nonce{};
  SecretKey mac{};
};
SlotKeys derive_slot_keys(const SecretKey& key);
SecretKey random_key();

class KeyStore {
 public:
  virtual ~KeyStore() = default;
  virtual const SecretKey& ledger_key() const = 0;
  // Errors: erased, corrupt (no such slot, or a damaged one), io.
  virtual Result<SlotKeys> keys(KeySlot slot) const = 0;
  // The first slot from `from` on that holds a key; makes and syncs more when there is none.
  virtual Result<KeySlot> reserve(KeySlot from) = 0;
  virtual Result<bool> erased(KeySlot slot) const = 0;
  virtual Status erase(KeySlot slot, const Erasure& erasure) = 0;  // durable when it returns; again: the first one stays
};

// Keys that live as long as the process. With a seed (tests) they are the same for the same seed.
std::unique_ptr<KeyStore> make_memory_key_store();
std::unique_ptr<KeyStore> make_memory_key_store(const SecretKey& seed);

// The file KEYS (docs/ledger-format.md) and the master key.
struct KeyFiles {
  std::string keys;    // DIR/KEYS
  std::string master;  // DIR/MASTER, or what --master-key names
};
// Makes both files where there are none and `create` says so; a master key that exists is used.
// Errors: not_found (names the file and the way out), refused (the master key does not fit, or others may read it), corrupt, io.
Result<std::unique_ptr<KeyStore>> open_key_store(const KeyFiles& files, bool create);

// Copies KEYS from one ledger's folder (or a copy of its key files) to another's, and MASTER where it is there; replaces none.
Status copy_key_files(const std::string& from, const std::string& to);

// The first slot behind those of the file; 1 when there is none.
KeySlot slots_end(const std::string& keys_file);

// Wraps every key by a new master key. The old one opens nothing afterwards; the old file's bytes are overwritten.
// The ledger must not be open. A rotation that was cut short is finished or undone by the next opening.
Status rotate_master_key(const KeyFiles& files);

// What the slots of a file say was erased, in order of slots; needs no master key.
struct ErasedSlot {
  KeySlot slot;
  Erasure erasure;
};
Result<std::vector<ErasedSlot>> erasures_in(const std::string& keys_file);

}  // namespace turnstone
