// The stored bytes of a small ledger, as docs/ledger-format.md shows them. They may never change: old ledgers hold them.
#include <gtest/gtest.h>

#include <map>

#include "storage/ledger/ledger_fixture.h"

namespace turnstone {
namespace {

using namespace ledger_test;

std::string hex(std::string_view bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::map<std::string, std::string> entries_of(const Store& store) {
  std::map<std::string, std::string> entries;
  for (const char* prefix : {"C", "D", "E", "F", "H", "K", "P", "T"}) {
    EXPECT_TRUE(store.scan(prefix, prefix, [&](std::string_view key, std::string_view value) {
      entries[hex(key)] = hex(value);
      return true;
    }));
  }
  return entries;
}

TEST(LedgerFormat, TheBytesOfASmallLedger) {
  auto store = std::make_shared<MemoryStore>();
  auto ledger = std::move(*LedgerCore::open(store, plain_payload_codec()));
  ASSERT_TRUE(ledger->start_session(started("s1"), std::nullopt, wall_time));
  ASSERT_TRUE(ledger->accept(turn_request("s1", "k1", "red")));
  ASSERT_TRUE(ledger->accept(turn_request("s1", "k2", "blue")));
  const std::map<std::string, std::string> expected = {
      {"430000000000000001",
       "000000000000000100060a24181e40000000000000017300000002733100000000000000010000000000000001dbea3bb77a691f4f92d995af21d4"
       "cfe813c05ea50cccb2e86c977ffcc3a59024e61066a99e84eda64cbf8c5d50985746fcda829998643f3403b79f384ec2e2a2"},
      {"430000000000000002",
       "000000000000000200060a24181e400000000000000173000000027331000000000000000200000000000000038270a5d5fe2057eaf498ff9bea4b"
       "fbf05b73ea623265aead7d44c12834942728aaa9a5caa9ebddae2758d38f16c622ecc21651d3aa6c597d2b2624961fe6b097"},
      {"430000000000000003",
       "000000000000000300060a24181e40000000000000002e952c2159309f8b147e072e8c2494490fec2c62ef9d8630554a324a6fec43c5"},
      {"45737331000000000000000001",
       "0001000100060a24181e4000000000000000000000000000000000000000000000000000000000000000000000000000dbea3bb77a691f4f92d995"
       "af21d4cfe813c05ea50cccb2e86c977ffcc3a5902497a27331a468747470a773686f70706572c09090c0"},
      {"45737331000000000000000002",
       "0002000100060a24181e400000000001dbea3bb77a691f4f92d995af21d4cfe813c05ea50cccb2e86c977ffcc3a59024890871f46e2170d1ef98cf"
       "22fec1105677b9cc486c490a259b3acf6bfc0f2b3e9601a26b31a37265640aa0c0"},
      {"45737331000000000000000003",
       "0003000100060a24181e400000000001890871f46e2170d1ef98cf22fec1105677b9cc486c490a259b3acf6bfc0f2b3e8270a5d5fe2057eaf498ff"
       "9bea4bfbf05b73ea623265aead7d44c12834942728930101a0"},
      {"46",
       "01"},
      {"4873733100",
       "00000000000000038270a5d5fe2057eaf498ff9bea4bfbf05b73ea623265aead7d44c12834942728000000020000000100"},
      {"4b737331006b31",
       "00000001582b627971724dec023d06390dfadbe8f2b7c31a6fe0f965c034e01203173908"},
      {"4b737331006b32",
       "0000000273f1531cd8d18f7e2b71ed64323b00b551628e31493e76dd830343ce0d3f77d3"},
      {"507373310000000001",
       ""},
      {"507373310000000002",
       "00060a24181e400000010000000d9602a26b32a4626c75650aa0c0"},
      {"547373310000000001",
       "0000000001000000000000000200000000000000030000000000000000"},
      {"547373310000000002",
       "0000000000000000000000000000000000000000000000000000000000"},
  };
  EXPECT_EQ(entries_of(*store), expected);

  ASSERT_TRUE(std::holds_alternative<Committed>(*ledger->commit(proposal("s1", TurnNumber{1}, Attempt{1}, Sequence{3}, "Red it is."))));
  const auto entries = entries_of(*store);
  EXPECT_EQ(entries.at("547373310000000001"),
            "0100000001000000000000000200000000000000030000000a5265642069742069732e00000014666c69676874206f662052656420697420"
            "69732e");
  EXPECT_EQ(entries.at("430000000000000004"),
            "000000000000000400060a24181e400000000001ac8083786e58e9b077301be5c7f709bf33a49960916c828bbe5cad7bc86a00f700017300"
            "000002733100000000000000040000000000000008e7b79b0fd27e5a7155622c609ad21300e2a91f69ebd04177ff3eff42d6ef1d06e973aa"
            "4d99615a6643b52180588a4c93a702fbec33a36ea488d865509624e5f1");
  EXPECT_EQ(entries.count("507373310000000001"), 0u);
  EXPECT_EQ(entries.at("507373310000000002"), "");
}

}  // namespace
}  // namespace turnstone
