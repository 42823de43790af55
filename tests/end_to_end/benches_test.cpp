// Every benchmark for a moment: that it works, and that what it says is whole. Never how fast anything was.
#include <gmock/gmock.h>
#include <sys/vfs.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/deployment.h"

namespace turnstone::end_to_end {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

struct Bench {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> figures;  // that it must give
  std::vector<std::string> probes;
};
void PrintTo(const Bench& bench, std::ostream* out) { *out << bench.name; }

// A catalogue and its index for all of them.
const std::string& shop() {
  static const Deployment deployment;
  static const std::string folder = [] {
    EXPECT_EQ(run({program(), "generate", "--kind", "fashion", "--rows", "300", "--out", deployment.folder() + "/shop.jsonl"}).code, 0);
    EXPECT_EQ(run({program(), "index", deployment.folder() + "/shop.jsonl", "--out", deployment.folder() + "/idx"}).code, 0);
    return deployment.folder();
  }();
  return folder;
}

std::vector<Bench> benches() {
  const std::vector<std::string> shoppers{"(shoppers)"};
  return {
      {"bus",
       {"--turns", "100"},
       {"bus_and_ledger_share", "bus_and_ledger_share_to_fdatasync", "durable_turns", "durable_turns_to_coalesced_batches",
        "curve_keys_standard_error"},
       {"fdatasync", "echo_over_ipc", "coalesced_batches"}},
      {"ledger",
       {"--events", "400", "--kills", "1"},
       {"durable_append_to_fdatasync", "verify", "rebuild", "start_after_kill_p50"},
       {"fdatasync", "as_many_bytes_written_and_synced"}},
      {"scaling", {"--seconds", "0.2"}, {"eight_workers_to_one", "two_workers_to_one"}, {"two_threads_to_one"}},
      {"takeover", {"--kills", "2", "--freezes", "1"}, {"takeover_from_a_killed_worker_p99", "takeover_from_a_frozen_worker_p99"}, {"fdatasync"}},
      {"replay", shoppers, {"replay_to_original", "records_checked"}, {"memory_read"}},
      {"turn", shoppers, {}, {"fdatasync", "posting_scan"}},
      {"http",
       {"(shoppers)", "--rate", "20", "--seconds", "1"},
       {"turn_over_http_p50", "turn_over_http_p99"},
       {"fdatasync", "loopback_echo", "decided_embedded_at_the_same_rate"}},
      {"session", {"(shoppers)", "--events", "1000"}, {"http_worker_warm_long_to_short", "on_the_disk"}, {"memory_read"}},
      {"sealing", shoppers, {"sealing_standard_error"}, {"fdatasync"}},
      {"index", {"(catalogue)"}, {"index", "peak", "artefact"}, {"memory_read"}},
  };
}

std::vector<std::string> command_of(const Bench& bench, const std::string& folder) {
  std::vector<std::string> command{program(), "bench", bench.name, "--json", "--dir", folder};
  for (const std::string& argument : bench.arguments) {
    if (argument == "(shoppers)") {
      command.insert(command.end(), {"--index", shop() + "/idx", "--catalogue", shop() + "/shop.jsonl", "--generate-sessions", "4"});
    } else if (argument == "(catalogue)") {
      command.insert(command.end(), {"--catalogue", shop() + "/shop.jsonl"});
    } else {
      command.push_back(argument);
    }
  }
  return command;
}

// A benchmark does a hundred things in turn: it may take longer than one thing that must happen.
Ran measure(std::vector<std::string> command) {
  ChildProcess process(std::move(command));
  Ran ran;
  ran.code = process.wait(3 * patience).value_or(-1);
  process.kill();
  process.read_to_end();
  ran.output = process.output();
  ran.errors = process.errors();
  return ran;
}

void expect_measured(const json& entry, const std::string& name) {
  ASSERT_TRUE(entry.is_object()) << name;
  if (entry.contains("value")) {
    EXPECT_TRUE(entry["value"].is_number() && std::isfinite(entry["value"].get<double>())) << name << ": " << entry;
    EXPECT_FALSE(entry.value("unit", "").empty()) << name;
  } else {
    EXPECT_GT(entry.value("count", 0), 0) << name;
    EXPECT_LE(entry.value("p50_us", -1), entry.value("p99_us", -2)) << name << ": " << entry;
  }
}

class Benches : public ::testing::TestWithParam<Bench> {};

TEST_P(Benches, WorksAndSaysAllOfIt) {
  const Bench& bench = GetParam();
  const Deployment deployment;
  const Ran ran = measure(command_of(bench, deployment.folder()));
  ASSERT_EQ(ran.code, 0) << ran.errors << ran.output;
  const json document = json::parse(ran.output, nullptr, false);
  ASSERT_TRUE(document.is_object()) << ran.output;
  EXPECT_EQ(document.value("bench", ""), bench.name);
  EXPECT_FALSE(document["machine"].value("cpu", "").empty());
  EXPECT_FALSE(document.value("file_system", "").empty());
  EXPECT_THAT(document.value("durability", ""), ::testing::AnyOf("synced", "fast"));
  EXPECT_FALSE(document["times"].empty() && document["figures"].empty());
  for (const char* part : {"times", "figures", "probes"}) {
    for (const auto& [name, entry] : document[part].items()) expect_measured(entry, name);
  }
  for (const std::string& name : bench.figures) EXPECT_TRUE(document["figures"].contains(name)) << name;
  for (const std::string& name : bench.probes) EXPECT_TRUE(document["probes"].contains(name)) << name;
  for (const auto& [name, figure] : document["figures"].items()) {
    if (!figure.contains("budget")) continue;
    const bool upper = figure["budget"].contains("at_most");
    const double budget = figure["budget"].at(upper ? "at_most" : "at_least").get<double>();
    EXPECT_EQ(figure.value("met", false), upper ? figure["value"] <= budget : figure["value"] >= budget) << name << ": " << figure;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Benches, ::testing::ValuesIn(benches()), [](const auto& each) { return each.param.name; });

TEST(BenchesAllOf, DurableFiguresAreRefusedInMemory) {
  struct statfs memory {};
  constexpr long tmpfs = 0x01021994;
  if (statfs("/dev/shm", &memory) != 0 || memory.f_type != tmpfs) GTEST_SKIP() << "/dev/shm is no tmpfs here";
  for (const char* bench : {"bus", "ledger", "scaling", "takeover"}) {
    const Ran ran = run({program(), "bench", bench, "--dir", "/dev/shm"});
    EXPECT_EQ(ran.code, 2) << bench;
    EXPECT_THAT(ran.errors, HasSubstr("tmpfs")) << bench;
  }
}

TEST(BenchesAllOf, EachShowsAnExample) {
  for (const char* bench : {"turn", "http", "bus", "ledger", "takeover", "scaling", "replay", "session", "sealing", "index", "worker"}) {
    EXPECT_THAT(run({program(), "bench", bench, "--help"}).output, HasSubstr(std::string("turnstone bench ") + bench)) << bench;
  }
}

}  // namespace
}  // namespace turnstone::end_to_end
