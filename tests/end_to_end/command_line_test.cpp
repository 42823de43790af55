// What the command line owes to shells, scripts and files, whatever the verb.
#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "events/testing/eventually.h"
#include "tests/end_to_end/deployment.h"

namespace turnstone::end_to_end {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::HasSubstr;

class CommandLine : public ::testing::Test {
 protected:
  std::string at(const std::string& name) const { return deployment.folder() + "/" + name; }
  // A command line for a shell, in the test's folder; PROGRAM and INDEX stand for theirs.
  Ran shell(std::string line) const {
    for (const auto& [name, value] : {std::pair<std::string, std::string>{"PROGRAM", program()}, {"INDEX", deployment.index()}}) {
      for (std::size_t found = 0; (found = line.find(name, found)) != std::string::npos; found += value.size()) line.replace(found, name.size(), value);
    }
    return run({"/bin/bash", "-c", "cd " + deployment.folder() + " && " + line});
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name)) << text; }
  std::string content(const std::string& name) const {
    std::ifstream in(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(deployment.folder())) names.push_back(entry.path().filename().string());
    return names;
  }

  Deployment deployment;  // for its folders only
};

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> documents;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) documents.push_back(json::parse(line, nullptr, false));
  return documents;
}

constexpr const char* shop =
    "Art-Nr;Bezeichnung;Marke;Verkauf;Farbe\n"
    "A1;Runder Tisch aus Eiche;Nordholz;299,00 €;braun\n"
    "A2;Stuhl mit Armlehnen;Nordholz;59,50 €;braun\n"
    "A3;Schreibtischlampe aus Stahl;Lumen;35,00 €;schwarz\n";

TEST_F(CommandLine, TryTalksToATableInOneCommand) {
  write("shop.csv", shop);
  const std::string script = R"(echo '{"session":"s","message":"Schreibtischlampe"}' | )";
  const Ran ran = shell("mkdir tmp; " + script + "TMPDIR=$PWD/tmp PROGRAM try shop.csv --script - --json");
  EXPECT_EQ(ran.code, 0) << ran.errors;
  const auto replies = lines_of(ran.output);
  ASSERT_EQ(replies.size(), 1U) << ran.output;
  ASSERT_FALSE(replies[0]["recommendations"].empty()) << ran.output;
  EXPECT_EQ(replies[0]["recommendations"][0]["title"], "Schreibtischlampe aus Stahl");
  EXPECT_THAT(ran.errors, HasSubstr("separated by ;"));
  EXPECT_THAT(ran.errors, ::testing::ContainsRegex("Bezeichnung +title"));
  EXPECT_THAT(ran.errors, ::testing::ContainsRegex("Verkauf +price"));
  EXPECT_TRUE(fs::is_empty(at("tmp"))) << "the index was temporary";

  const Ran kept = shell(script + "PROGRAM try shop.csv --column id=Art-Nr --keep idx --script - --json");
  EXPECT_EQ(kept.code, 0) << kept.errors;
  EXPECT_EQ(lines_of(kept.output)[0]["recommendations"][0]["id"], "A3");
  EXPECT_EQ(shell(script + "PROGRAM chat --index idx --script - --json").code, 0);
}

TEST_F(CommandLine, PricesKeepTheirCurrency) {
  write("shop.csv", shop);
  write("priced.csv", "id,Title,Price (EUR)\n1,Round oak table,299\n2,Chair with arms,59.50\n3,Lamp for desks,35\n");
  const std::string script = R"(echo '{"session":"s","message":"something under 70"}' | )";
  for (const char* command : {"PROGRAM try shop.csv", "PROGRAM try priced.csv", "PROGRAM try priced.csv --currency euros"}) {
    const Ran ran = shell(script + command + " --script - --json");
    ASSERT_EQ(ran.code, 0) << ran.errors;
    const json reply = lines_of(ran.output).at(0);
    ASSERT_FALSE(reply["recommendations"].empty()) << ran.output;
    for (const json& product : reply["recommendations"]) {
      EXPECT_EQ(product["currency"], "€") << ran.output;
      EXPECT_THAT(product["why"].dump(), HasSubstr("€")) << ran.output;
    }
    EXPECT_EQ(reply.dump().find('$'), std::string::npos) << ran.output;
    EXPECT_THAT(ran.errors, HasSubstr("prices are in €"));
  }
  const Ran other = shell(script + "PROGRAM try priced.csv --currency CHF --script - --json");
  EXPECT_EQ(lines_of(other.output).at(0)["recommendations"][0]["currency"], "chf") << other.output;
  EXPECT_THAT(shell("PROGRAM try priced.csv --currency shells --script /dev/null --json").output, HasSubstr("no currency known here"));
}

TEST_F(CommandLine, ASessionThatIsNotThereIsNamedWithThoseThatAre) {
  for (const char* session : {"ann", "bob"}) {
    ASSERT_EQ(shell(R"(echo '{"session":")" + std::string(session) +
                    R"(","message":"a red dress"}' | PROGRAM chat --index INDEX --ledger ledger --script - --json)")
                  .code,
              0);
  }
  for (const char* verb : {"audit", "replay --index INDEX", "explain --index INDEX --place 1"}) {
    const Ran ran = shell("PROGRAM " + std::string(verb) + " --ledger ledger --session carl");
    EXPECT_EQ(ran.code, 3) << verb;
    EXPECT_THAT(ran.errors, HasSubstr("in this ledger; it has 2: ann, bob")) << verb;
  }
}

TEST_F(CommandLine, RestoreSaysWhatItCouldNotVerify) {
  ASSERT_EQ(shell(R"(echo '{"session":"s","message":"a red dress"}' | PROGRAM chat --index INDEX --ledger ledger --script - --json)").code, 0);
  const Ran backup = shell("PROGRAM backup --ledger ledger --out copy");
  ASSERT_EQ(backup.code, 0) << backup.errors;
  EXPECT_THAT(backup.output, HasSubstr("NOT verified that it can be read"));
  const Ran without = shell("PROGRAM restore --backup copy --ledger one --json");
  ASSERT_EQ(without.code, 0) << without.errors;
  EXPECT_EQ(json::parse(without.output)["sound"], true);
  EXPECT_EQ(json::parse(without.output)["opened_with_keys"], false);
  const Ran with = shell("PROGRAM restore --backup copy --ledger two --keys ledger");
  ASSERT_EQ(with.code, 0) << with.errors;
  EXPECT_THAT(with.output, HasSubstr("read with its keys: the last event of each of 1 sessions"));
}

TEST_F(CommandLine, TrySaysWhatIsWrongWithAFile) {
  write("empty.csv", "");
  write("letter.txt", "Dear Sir\nthank you for the letter\n");
  write("numbers.csv", "a,b\n1,2\n3,4\n");
  for (const auto& [file, words] : {std::pair<std::string, std::string>{"empty.csv", "it is empty"}, {"letter.txt", "neither a JSON object nor a row"},
                                    {"numbers.csv", "--column title=NAME"}, {".", "is a folder"}, {"none.csv", "No such file"}}) {
    const Ran ran = shell("PROGRAM try " + file + " --script /dev/null --json");
    EXPECT_NE(ran.code, 0) << file;
    EXPECT_THAT(lines_of(ran.output).at(0)["error"]["detail"].get<std::string>(), HasSubstr(words));
  }
}

TEST_F(CommandLine, WhatCouldNotBePrintedIsNoSuccess) {
  const Ran full = shell("PROGRAM policy show > /dev/full");
  EXPECT_EQ(full.code, 3);
  EXPECT_THAT(full.errors, HasSubstr("No space left on device"));
  EXPECT_EQ(shell("PROGRAM --help > /dev/full").code, 3);
  EXPECT_EQ(shell("PROGRAM search --index INDEX dress > /dev/full").code, 3);
  EXPECT_EQ(shell(R"(echo '{"session":"s","message":"a dress"}' | PROGRAM chat --index INDEX --script - --json > /dev/full)").code, 3);
  for (const char* command : {"PROGRAM generate --kind fashion --rows 5000"}) {
    const Ran gone = shell("(" + std::string(command) + "; echo code $? >&2) | head -c 1 > /dev/null");
    EXPECT_EQ(gone.errors.substr(gone.errors.find("code ")), "code 141\n") << gone.errors;
    EXPECT_EQ(gone.errors.find("turnstone:"), std::string::npos) << gone.errors;
  }
}

TEST_F(CommandLine, AClosedStandardStreamHarmsNothing) {
  const Ran whole = shell("PROGRAM policy show");
  const Ran silent = shell("PROGRAM policy show 2>&-");
  EXPECT_EQ(silent.code, 0);
  EXPECT_EQ(silent.output, whole.output);
  EXPECT_EQ(shell("PROGRAM policy show >&-").code, 3);
  EXPECT_EQ(shell("PROGRAM policy show 2>/dev/full").output, whole.output);
}

TEST_F(CommandLine, EveryVerbShowsAnExample) {
  const auto names_after = [](const std::string& help, const std::string& heading) {
    std::vector<std::string> names;
    std::istringstream lines(help.substr(std::min(help.find(heading), help.size())));
    std::string line;
    for (std::getline(lines, line); std::getline(lines, line) && !line.empty();) {
      if (line.size() > 2 && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
    }
    return names;
  };
  const auto verbs = names_after(shell("PROGRAM --help").output, "Subcommands:");
  EXPECT_GE(verbs.size(), 22U);
  for (const std::string& verb : verbs) {
    const Ran help = shell("PROGRAM " + verb + " --help");
    EXPECT_EQ(help.code, 0) << verb;
    EXPECT_THAT(help.output, HasSubstr("Example:\n  ")) << verb;
    EXPECT_THAT(help.output, HasSubstr("turnstone " + verb + " ")) << verb;
    for (const std::string& part : names_after(help.output, "Subcommands:")) {
      EXPECT_THAT(shell("PROGRAM " + verb + " " + part + " --help").output, HasSubstr("turnstone " + verb + " " + part + " ")) << verb << " " << part;
    }
    EXPECT_EQ(shell("PROGRAM " + verb + " --no-such-option").code, 2) << verb;
  }
}

TEST_F(CommandLine, OutputGoesWhereThePathLeads) {
  ASSERT_EQ(shell("mkdir real && echo old > real/out && ln -s real/out out && ln -s /dev/null null").code, 0);
  ASSERT_EQ(shell("PROGRAM generate --kind fashion --rows 20 --out out").code, 0);
  EXPECT_TRUE(fs::is_symlink(at("out")));
  EXPECT_GT(content("real/out").size(), 1'000U);
  EXPECT_EQ(shell("PROGRAM generate --kind fashion --rows 20 --out null").code, 0);
  EXPECT_TRUE(fs::is_symlink(at("null")));
  EXPECT_EQ(shell("PROGRAM generate --kind fashion --rows 20 --out /dev/full").code, 3);
  const Ran piped = shell("PROGRAM generate --kind fashion --rows 20 --out >(wc -l > count); sleep 0.2; cat count");
  EXPECT_EQ(piped.output, "20\n") << piped.errors;
}

TEST_F(CommandLine, StoppedHalfwayNothingIsLeft) {
  ASSERT_EQ(shell("PROGRAM generate --kind fashion --rows 60000 --out shop.jsonl").code, 0);
  const auto before = entries();
  for (const auto& command : {std::vector<std::string>{program(), "generate", "--kind", "fashion", "--rows", "90000000", "--out", at("more.jsonl")},
                              std::vector<std::string>{program(), "index", at("shop.jsonl"), "--out", at("idx")},
                              std::vector<std::string>{program(), "bench", "index", "--catalogue", at("shop.jsonl"), "--dir", deployment.folder()}}) {
    fs::remove_all(at("idx"));
    ChildProcess child(command);
    const auto working = [&] { return entries().size() > before.size() && (!fs::exists(at("idx")) || !fs::is_empty(at("idx"))); };
    EXPECT_TRUE(testing::eventually(working)) << command[1];
    child.signal(SIGINT);
    EXPECT_EQ(child.wait(patience), 128 + SIGINT) << command[1];
    EXPECT_TRUE(!fs::exists(at("idx")) || fs::is_empty(at("idx"))) << command[1];
    fs::remove_all(at("idx"));
    EXPECT_EQ(entries().size(), before.size()) << command[1];
  }
}

TEST_F(CommandLine, LedgersAndIndexesKeepApart) {
  ASSERT_EQ(shell("cp -r INDEX idx").code, 0);
  for (const char* place : {"idx", "idx/ledger"}) {
    const Ran chat = shell("PROGRAM chat --index idx --script /dev/null --ledger " + std::string(place));
    EXPECT_EQ(chat.code, 4) << chat.errors;
    EXPECT_THAT(chat.errors, HasSubstr("is an index"));
    EXPECT_EQ(shell("PROGRAM engine --bus ipc://$PWD/bus --http 127.0.0.1:0 --ledger " + std::string(place)).code, 4);
  }
  EXPECT_EQ(shell("mkdir mine && touch mine/letter && PROGRAM chat --index idx --script /dev/null --ledger mine").code, 4);
  EXPECT_FALSE(fs::exists(at("mine/OWNER")));
  ASSERT_EQ(shell("PROGRAM chat --index idx --script /dev/null --ledger ledger").code, 0);
  write("shop.csv", shop);
  const Ran index = shell("PROGRAM index shop.csv --out ledger");
  EXPECT_EQ(index.code, 4);
  EXPECT_THAT(index.errors, HasSubstr("is the folder of a ledger"));
}

TEST_F(CommandLine, ASavedPolicyIsTheSamePolicy) {
  const Ran shown = shell("PROGRAM policy show --json");
  const Ran checked = shell("PROGRAM policy show > p.toml 2>told; PROGRAM policy check p.toml --json");
  EXPECT_EQ(checked.code, 0) << checked.errors;
  const std::string fingerprint = json::parse(shown.output)["fingerprint"];
  EXPECT_EQ(json::parse(checked.output)["fingerprint"], fingerprint);
  EXPECT_THAT(content("told"), HasSubstr(fingerprint));
  EXPECT_EQ(shell("(echo 'surprise = 1'; cat p.toml) > q.toml; PROGRAM policy check q.toml").code, 1);
}

TEST_F(CommandLine, AScriptWithABadLineIsPlayedAndReported) {
  write("script", "nonsense\n{\"session\":\"s\",\"message\":\"a red dress\"}\n");
  const Ran ran = shell("PROGRAM chat --index INDEX --script script --json");
  EXPECT_EQ(ran.code, 1);
  const auto replies = lines_of(ran.output);
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_TRUE(replies[0].contains("error"));
  EXPECT_EQ(replies[1]["turn"], 1);
  EXPECT_THAT(ran.errors, HasSubstr("1 line(s)"));
}

TEST_F(CommandLine, WhatIfDecidesWithThePolicyThatWasGiven) {
  write("script", "{\"session\":\"s\",\"message\":\"a red dress\"}\n{\"session\":\"s\",\"message\":\"something cheaper\"}\n");
  ASSERT_EQ(shell("PROGRAM chat --index INDEX --ledger ledger --script script --json").code, 0);
  ASSERT_EQ(shell("PROGRAM policy show 2>&- | sed 's/^trusted_pool = .*/trusted_pool = 1/' > p.toml").code, 0);
  const Ran ignored = shell("PROGRAM replay --ledger ledger --index INDEX --policy-file p.toml");
  EXPECT_EQ(ignored.code, 2);
  EXPECT_THAT(ignored.errors, HasSubstr("--what-if"));
  EXPECT_THAT(shell("PROGRAM replay --ledger ledger --index INDEX --policy-file p.toml --what-if").output, HasSubstr("(what-if)"));
  EXPECT_THAT(shell("PROGRAM replay --ledger ledger --index INDEX --what-if").output, ::testing::Not(HasSubstr("(what-if)")));
}

TEST_F(CommandLine, AnExportIsALedgerAgain) {
  write("script", "{\"session\":\"s\",\"message\":\"a red dress\"}\n{\"session\":\"t\",\"message\":\"shoes\"}\n{\"session\":\"s\",\"message\":\"under 60 dollars\"}\n");
  ASSERT_EQ(shell("PROGRAM chat --index INDEX --ledger ledger --script script --json").code, 0);
  const Ran out = shell("PROGRAM export --ledger ledger --out file --json");
  ASSERT_EQ(out.code, 0) << out.errors;
  EXPECT_EQ(json::parse(out.output)["sessions"], 2);
  EXPECT_EQ(json::parse(out.output)["turns"], 3);
  const Ran in = shell("PROGRAM import file --ledger again --json");
  ASSERT_EQ(in.code, 0) << in.output << in.errors;
  EXPECT_EQ(json::parse(in.output)["written"], json::parse(out.output)["writes"]);
  EXPECT_EQ(json::parse(shell("PROGRAM import - --ledger again --json < file").output)["had"], json::parse(out.output)["writes"]);
  EXPECT_EQ(shell("PROGRAM export --ledger again | cmp - file").code, 0);
  EXPECT_EQ(shell("PROGRAM verify --ledger again && PROGRAM replay --ledger again --index INDEX").code, 0);
  const Ran cut = shell("head -n 5 file | PROGRAM import - --ledger part");
  EXPECT_EQ(cut.code, 3);
  EXPECT_THAT(cut.errors, HasSubstr("run it again"));
  EXPECT_EQ(shell("PROGRAM import file --ledger part && PROGRAM export --ledger part | cmp - file").code, 0);
}

TEST_F(CommandLine, AnEvaluationOfAnotherCatalogueIsRefused) {
  ASSERT_EQ(shell("PROGRAM generate --kind fashion --rows 300 --seed 8 --out mine.jsonl && PROGRAM index mine.jsonl --out mine").code, 0);
  ASSERT_EQ(shell("PROGRAM generate --kind fashion --rows 300 --seed 9 --out other.jsonl && PROGRAM index other.jsonl --out other").code, 0);
  const Ran foreign = shell("PROGRAM eval --index mine --catalogue other.jsonl --generate-sessions 5");
  EXPECT_EQ(foreign.code, 4) << foreign.errors;
  EXPECT_THAT(foreign.errors, ::testing::ContainsRegex("fingerprint [0-9a-f]{16} there, [0-9a-f]{16} here"));
  ASSERT_EQ(shell("PROGRAM eval --index mine --catalogue mine.jsonl --generate-sessions 5 --out report").code, 0);
  EXPECT_EQ(shell("PROGRAM eval --index mine --catalogue mine.jsonl --generate-sessions 5 --baseline report").code, 0);
  const Ran baseline = shell("PROGRAM eval --index other --catalogue other.jsonl --generate-sessions 5 --baseline report");
  EXPECT_EQ(baseline.code, 4) << baseline.errors;
  EXPECT_THAT(baseline.errors, HasSubstr("another catalogue"));
}

}  // namespace
}  // namespace turnstone::end_to_end
