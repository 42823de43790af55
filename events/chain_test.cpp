#include "events/chain.h"

#include <gtest/gtest.h>

#include <set>

namespace turnstone {
namespace {

Envelope sample() {
  return {{StreamKind::session, "s-1"}, Sequence{7}, EventType::constraint_set, 1, Timestamp{1'700'000'000'000'000}, TurnNumber{3}};
}

TEST(Chain, Blake2bMatchesThePublishedVector) {
  // RFC 7693 names BLAKE2b-512 of "abc"; this is BLAKE2b-256 of "abc" and of nothing (b2sum -l 256).
  EXPECT_EQ(to_hex(blake2b("abc")), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(to_hex(blake2b("")), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST(Chain, EnvelopeBytesAreFixed) {
  const std::string bytes = encode_envelope(sample());
  const unsigned char expected[] = {'s', 0, 0, 0, 3,    's',  '-',  '1',  0,    0,    0,    0,    0, 0, 0, 7,
                                    0,   5, 0, 1, 0x00, 0x06, 0x0a, 0x24, 0x18, 0x1e, 0x40, 0x00, 0, 0, 0, 3};
  EXPECT_EQ(bytes, std::string(reinterpret_cast<const char*>(expected), sizeof expected));
}

TEST(Chain, EnvelopesReadBackAndNothingElseDoes) {
  const std::string bytes = encode_envelope(sample());
  const auto read = decode_envelope(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(encode_envelope(*read), bytes);
  EXPECT_EQ(read->stream, sample().stream);
  EXPECT_EQ(read->time, sample().time);
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_FALSE(decode_envelope(bytes.substr(0, cut))) << cut;
  EXPECT_FALSE(decode_envelope(bytes + '\0'));
  EXPECT_FALSE(decode_envelope("x" + bytes.substr(1)));
  EXPECT_FALSE(decode_envelope(std::string("s\xff\xff\xff\xff", 5) + bytes));
}

TEST(Chain, HashCoversPreviousEnvelopeAndPayload) {
  const Digest hash = chain_hash(chain_origin, sample(), "payload");
  std::string covered(32, '\0');
  covered += encode_envelope(sample()) + "payload";
  EXPECT_EQ(hash, blake2b(covered));
}

TEST(Chain, EveryPartOfTheEnvelopeChangesTheHash) {
  std::set<Digest> hashes{chain_hash(chain_origin, sample(), "p")};
  const auto add = [&](auto change) {
    Envelope envelope = sample();
    change(envelope);
    EXPECT_TRUE(hashes.insert(chain_hash(chain_origin, envelope, "p")).second);
  };
  add([](Envelope& e) { e.stream.kind = StreamKind::profile; });
  add([](Envelope& e) { e.stream.name = "s-2"; });
  add([](Envelope& e) { e.sequence = Sequence{8}; });
  add([](Envelope& e) { e.type = EventType::reply_sent; });
  add([](Envelope& e) { e.schema_version = 2; });
  add([](Envelope& e) { e.time = Timestamp{-1}; });
  add([](Envelope& e) { e.turn = TurnNumber{4}; });
  EXPECT_TRUE(hashes.insert(chain_hash(chain_origin, sample(), "q")).second);
  EXPECT_TRUE(hashes.insert(chain_hash(blake2b("other"), sample(), "p")).second);
}

// The name's length is part of the envelope: bytes cannot move between name and sequence.
TEST(Chain, StreamNamesCannotRunIntoOtherFields) {
  Envelope a = sample();
  Envelope b = sample();
  a.stream.name = std::string("x\0", 2);
  b.stream.name = "x";
  EXPECT_NE(encode_envelope(a), encode_envelope(b));
  EXPECT_NE(chain_hash(chain_origin, a, ""), chain_hash(chain_origin, b, ""));
}

TEST(Digest, HexReadsBack) {
  const Digest digest = blake2b("abc");
  EXPECT_EQ(parse_digest(to_hex(digest)), digest);
  EXPECT_FALSE(parse_digest("abc"));
  EXPECT_FALSE(parse_digest(std::string(64, 'g')));
  EXPECT_FALSE(parse_digest(std::string(64, 'A'))) << "one spelling a digest";
}

}  // namespace
}  // namespace turnstone
