// Appends events to one stream inside a batch: numbers, chains, seals and stores them.
//
// The head record is written by finish(), once. Not thread safe. O(bytes appended).
#pragma once

#include "storage/ledger/payload_codec.h"
#include "storage/ledger/records.h"
#include "storage/ledger/store.h"

namespace turnstone {

class StreamWriter {
 public:
  // `stream` in its stored form. `head` is the stream's head before; one without a sequence begins a stream.
  StreamWriter(StreamId stream, records::Head head, const PayloadCodec& codec, WriteBatch& batch)
      : stream_(std::move(stream)), first_(head.sequence.value + 1), head_(head), codec_(codec), batch_(batch) {}

  Status append(const EventBody& body, TurnNumber causing, Timestamp time);
  // The same for a payload that was encoded when it arrived (plain, as encode_payload gave it).
  Status append_encoded(EventType type, std::uint16_t schema_version, std::string_view plain, TurnNumber causing, Timestamp time);

  const StreamId& stream() const { return stream_; }
  records::Head& head() { return head_; }
  // Puts the head record; says what was appended, nullopt when nothing was.
  std::optional<CommitRecord::Range> finish();

 private:
  StreamId stream_;
  std::uint64_t first_;
  records::Head head_;
  const PayloadCodec& codec_;
  WriteBatch& batch_;
};

}  // namespace turnstone
