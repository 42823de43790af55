// The file of keys beside the model disk: what it was told to keep it keeps, through kills and power cuts.
//
// As the real one (storage/ledger/key_file.cpp) it makes slots ahead, a block at a time, and makes or erases none while the disk is full or fails
// its syncs. Equal seeds give equal keys. Thread safety: none.
#pragma once

#include <memory>

#include "storage/ledger/key_store.h"
#include "tests/simulation/model_disk.h"

namespace turnstone::simulation {

class ModelKeys final : public KeyStore {
 public:
  ModelKeys(std::uint64_t seed, const ModelDisk& disk);

  const SecretKey& ledger_key() const override { return slots_->ledger_key(); }
  Result<SlotKeys> keys(KeySlot slot) const override { return slots_->keys(slot); }
  Result<KeySlot> reserve(KeySlot from) override;
  Result<bool> erased(KeySlot slot) const override { return slots_->erased(slot); }
  Status erase(KeySlot slot, const Erasure& erasure) override;

 private:
  Status writable() const;

  const ModelDisk& disk_;
  std::unique_ptr<KeyStore> slots_;
  std::uint32_t made_ = 0;  // slots that are in the file
};

}  // namespace turnstone::simulation
