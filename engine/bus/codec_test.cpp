#include "engine/bus/codec.h"

#include <gtest/gtest.h>

#include <random>

#include "events/chain.h"

namespace turnstone::bus {
namespace {

const Fingerprint print{blake2b("artefact")};
const Decider decider{print, Fingerprint{blake2b("policy")}, 3};
const WireEvent event{Sequence{7}, Timestamp{1'700'000'000'000'000}, TurnNumber{2}, 12, 1, std::string("\x91\xa3red", 5)};

// One of each kind, every field set.
std::vector<Message> samples() {
  return {
      Hello{2, WorkerId{"w-1"}, "w", {print}, {decider.policy}, {3, 4}, 8},
      Welcome{2, RunId{99}, "ipc:///d/bus.events", GlobalPosition{12}},
      Credit{4},
      Drain{"stopping"},
      Bye{"gone"},
      Task{RunId{99}, SessionId{"s1"}, TurnNumber{2}, Attempt{1}, Sequence{9}, Attempt{1}, decider, 1, "payload"},
      Proposed{RunId{99}, SessionId{"s1"}, TurnNumber{2}, Attempt{1}, Sequence{9}, {{5, 1, "a"}, {17, 1, "b"}}, "flight", "{}", "snapshot"},
      Failed{RunId{99}, SessionId{"s1"}, TurnNumber{2}, Attempt{1}, "no"},
      Read{StreamType::profile, "p1", Sequence{4}, 100},
      Read{StreamType::session, "s1", Sequence{1}, 100, true},
      Events{StreamType::session, "s1", Sequence{7}, Sequence{7}, {event}},
      Events{StreamType::session, "s1", Sequence{7}, Sequence{7}, {event}, "snapshot"},
      ReadCommits{GlobalPosition{3}, 50},
      Commits{GlobalPosition{3}, GlobalPosition{9}, {{RunId{99}, GlobalPosition{3}, {{StreamType::session, "s1", {event}}}, "flight"}}},
      FetchDocument{print},
      Document{print, "bytes"},
      Document{print, std::nullopt},
      Ping{RunId{99}, 5},
      Pong{RunId{99}, 5, 2},
      Refusal{Fault::full, "no room"},
      Publication{RunId{99}, GlobalPosition{3}, {{StreamType::session, "s1", {event}}}, "flight"},
  };
}

TEST(BusCodec, EveryMessageComesBackAsItWas) {
  for (const Message& message : samples()) {
    const auto frame = encode(message);
    ASSERT_TRUE(frame) << name_of(kind_of(message));
    const auto back = decode(*frame);
    ASSERT_TRUE(back) << name_of(kind_of(message)) << ": " << back.error().detail;
    EXPECT_EQ(*back, message) << name_of(kind_of(message));
  }
}

TEST(BusCodec, RefusesEveryCutAndEveryTail) {
  for (const Message& message : samples()) {
    const std::string frame = *encode(message);
    for (std::size_t size = 0; size < frame.size(); ++size) EXPECT_FALSE(decode(frame.substr(0, size))) << name_of(kind_of(message)) << ' ' << size;
    EXPECT_FALSE(decode(frame + 'x')) << name_of(kind_of(message));
  }
}

TEST(BusCodec, FlippedBytesAreRefusedOrGiveAMessageThatEncodesAgain) {
  for (const Message& message : samples()) {
    const std::string frame = *encode(message);
    for (std::size_t i = 0; i < frame.size(); ++i) {
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        std::string damaged = frame;
        damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ flip);
        if (const auto back = decode(damaged)) {
          EXPECT_TRUE(encode(*back));
        }
      }
    }
  }
}

TEST(BusCodec, RandomBytesAreRefused) {
  constexpr unsigned seed = 20'261;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = i % 2 == 0 ? std::string{'T', 'S', static_cast<char>(protocol_version), static_cast<char>(1 + random() % 18)} : std::string();
    for (std::size_t size = random() % 64; size > 0; --size) bytes += static_cast<char>(random());
    if (const auto message = decode(bytes)) {
      EXPECT_TRUE(encode(*message));
    }
  }
}

// What a fuzzer does, with a seed: bytes changed, cut, doubled, and frames spliced. Whatever is read is read the same again.
TEST(BusCodec, TwentyThousandMutationsEndInAMessageOrAnError) {
  constexpr unsigned seed = 20'262;
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  std::vector<std::string> frames;
  for (const Message& message : samples()) frames.push_back(*encode(message));
  std::size_t read = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string frame = frames[random() % frames.size()];
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      const std::size_t at = frame.empty() ? 0 : random() % frame.size();
      const std::string& other = frames[random() % frames.size()];
      switch (random() % 5) {
        case 0: frame.resize(at); break;
        case 1: frame.insert(at, 1 + random() % 8, static_cast<char>(random())); break;
        case 2: frame += other.substr(random() % other.size()); break;
        case 3: frame.erase(at, 1 + random() % 4); break;
        default:
          if (!frame.empty()) frame[at] = static_cast<char>(random());
      }
    }
    const auto message = decode(frame);
    if (!message) continue;
    ++read;
    const auto again = encode(*message);
    ASSERT_TRUE(again) << i;
    ASSERT_EQ(*decode(*again), *message) << i;
  }
  EXPECT_GT(read, 100U);  // else nothing was tried
}

TEST(BusCodec, RefusesClaimsOfGreatLengthBeforeAllocating) {
  const std::string head = std::string("TS\x02\x07", 4);
  for (const std::string& claim : {std::string("\xdd\xff\xff\xff\xff", 5), std::string("\xdb\xff\xff\xff\xff", 5),
                                   std::string("\xc6\xff\xff\xff\xff", 5), std::string("\xdf\xff\xff\xff\xff", 5), std::string(1'000, '\x91')}) {
    EXPECT_FALSE(decode(head + claim));
  }
  EXPECT_EQ(decode(std::string(frame_bytes_max + 1, 'T')).error().code, ErrorCode::limit_exceeded);
}

TEST(BusCodec, NamesBothVersionsWhenTheyDiffer) {
  std::string frame = *encode(Ping{RunId{1}, 1});
  frame[2] = 9;
  const auto refused = decode(frame);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::unsupported);
  EXPECT_NE(refused.error().detail.find("version 9"), std::string::npos);
  EXPECT_NE(refused.error().detail.find("version " + std::to_string(protocol_version)), std::string::npos);
  frame = *encode(Ping{RunId{1}, 1});
  frame[3] = 77;
  EXPECT_EQ(decode(frame).error().code, ErrorCode::unsupported);
}

TEST(BusCodec, EncodingRefusesWhatDecodingWould) {
  EXPECT_FALSE(encode(Hello{1, WorkerId{std::string(worker_id_bytes_max + 1, 'w')}, "", {}, {}, {}, 1}));
  EXPECT_FALSE(encode(Hello{1, WorkerId{"w"}, "", {}, {}, {}, credit_max + 1}));
  Proposed proposed;
  proposed.events.assign(proposal_events_max + 1, ProposedEvent{});
  EXPECT_FALSE(encode(proposed));
  proposed.events.assign(1, ProposedEvent{});
  proposed.reply.assign(reply_bytes_max + 1, 'x');
  EXPECT_FALSE(encode(proposed));
  EXPECT_FALSE(encode(Ping{RunId{1}, 1}).value().empty());
}

// The worked bytes of docs/bus-protocol.md.
TEST(BusCodec, FramesAreAsDocumented) {
  using namespace std::string_literals;
  EXPECT_EQ(*encode(Ping{RunId{7}, 3}), "TS\x02\x0f\x92\x07\x03"s);
  EXPECT_EQ(*encode(Pong{RunId{7}, 3, 1}), "TS\x02\x10\x93\x07\x03\x01"s);
  EXPECT_EQ(*encode(Read{StreamType::session, "s1", Sequence{1}, 4}), "TS\x02\x09\x95\x00\xa2s1\x01\x04\xc2"s);
  EXPECT_EQ(*encode(Welcome{2, RunId{7}, "ipc:///run/t/bus.events", GlobalPosition{2}}), "TS\x02\x02\x94\x02\x07\xb7ipc:///run/t/bus.events\x02"s);
  const Hello hello{2, WorkerId{"w-1f"}, "w", {print}, {decider.policy}, {1}, 8};
  EXPECT_EQ(encode(hello)->size(), 86U);
  EXPECT_EQ(encode(hello)->substr(0, 13), "TS\x02\x01\x97\x02\xa4w-1f\xa1w"s);
}

TEST(BusCodec, TopicsDoNotOverlap) {
  EXPECT_FALSE(topic_of(stream_of(SessionId{"s10"})).starts_with(topic_of(stream_of(SessionId{"s1"}))));
  EXPECT_NE(topic_of(stream_of(SessionId{"a"})), topic_of(stream_of(ProfileId{"a"})));
}

TEST(BusCodec, EventsTravelInTheirStoredForm) {
  Event stored;
  stored.stream = stream_of(SessionId{"s1"});
  stored.sequence = Sequence{4};
  stored.turn = TurnNumber{2};
  stored.time = Timestamp{5};
  stored.body = ReplySent{"Two match."};
  const auto wire = to_wire(stored);
  ASSERT_TRUE(wire);
  const auto body = body_of(*wire);
  ASSERT_TRUE(body);
  EXPECT_EQ(*body, stored.body);
}

}  // namespace
}  // namespace turnstone::bus
