#include "tools/doctor/host_checks.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "storage/ledger/ledger.h"

namespace turnstone {
namespace {

using Level = HostFinding::Level;

class Doctor : public ::testing::Test {
 protected:
  Doctor() {
    std::string pattern = (std::filesystem::temp_directory_path() / "turnstone-doctor-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Doctor() override { std::filesystem::remove_all(folder_); }

  HostFinding of(const std::string& what) const {
    const auto findings = check_ledger_folder(ledger_folder());
    const auto found = std::find_if(findings.begin(), findings.end(), [&](const HostFinding& finding) { return finding.what == what; });
    return found == findings.end() ? HostFinding{Level::bad, what, "was not looked at", "?"} : *found;
  }
  std::string ledger_folder() const { return folder_ + "/ledger"; }
  void make_ledger() const {
    auto ledger = open_ledger(ledger_folder(), {}).value();
    SessionStarted started;
    started.session = SessionId{"s1"};
    ASSERT_TRUE(ledger->start_session(started, std::nullopt, Timestamp{1}));
  }

  std::string folder_;
};

TEST_F(Doctor, AHealthyLedgerIsGoodAndNothingIsLeftBehind) {
  make_ledger();
  const auto count = [&] { return std::distance(std::filesystem::recursive_directory_iterator(ledger_folder()), {}); };
  const auto before = count();
  for (const HostFinding& finding : check_ledger_folder(ledger_folder())) {
    EXPECT_NE(finding.level, Level::bad) << finding.what << ": " << finding.detail;
    EXPECT_EQ(finding.cure.empty(), finding.level == Level::good) << finding.what;
  }
  EXPECT_EQ(count(), before);
}

TEST_F(Doctor, AFolderThatDoesNotExistYetIsLookedAtAsTheOneAbove) {
  EXPECT_EQ(of("ledger").level, Level::good);
  EXPECT_NE(of("disk sync").level, Level::bad);
  EXPECT_FALSE(std::filesystem::exists(ledger_folder()));
}

TEST_F(Doctor, ALedgerThatLostItsLogIsBadAndTheCureIsNamed) {
  make_ledger();
  for (const auto& entry : std::filesystem::directory_iterator(ledger_folder() + "/db")) {
    if (entry.path().extension() == ".log" || entry.path().extension() == ".sst") std::filesystem::remove(entry.path());
  }
  const HostFinding finding = of("ledger");
  EXPECT_EQ(finding.level, Level::bad) << finding.detail;
  EXPECT_NE(finding.cure.find("backup"), std::string::npos);
}

TEST_F(Doctor, ALedgerWithoutItsMasterKeyIsBad) {
  make_ledger();
  std::filesystem::rename(ledger_folder() + "/MASTER", folder_ + "/elsewhere");
  EXPECT_EQ(of("ledger").level, Level::bad);
  EXPECT_NE(of("ledger").cure.find("--master-key"), std::string::npos) << of("ledger").detail;
  for (const HostFinding& finding : check_ledger_folder(ledger_folder(), folder_ + "/elsewhere"))
    EXPECT_NE(finding.level, Level::bad) << finding.detail;
}

TEST_F(Doctor, AFolderThatOthersCanReadIsWarnedOf) {
  make_ledger();
  ASSERT_EQ(::chmod(ledger_folder().c_str(), 0755), 0);
  EXPECT_EQ(of("access").level, Level::warning);
  EXPECT_EQ(of("access").cure, "chmod 700 " + ledger_folder());
  ASSERT_EQ(::chmod(ledger_folder().c_str(), 0700), 0);
  EXPECT_EQ(of("access").level, Level::good);
}

TEST_F(Doctor, WhatWasSetAsideIsRemembered) {
  make_ledger();
  EXPECT_EQ(of("quarantine").level, Level::good);
  std::filesystem::create_directories(ledger_folder() + "/quarantine-kept-1");
  std::ofstream(ledger_folder() + "/quarantine-kept-1/000004.log") << "x";
  EXPECT_EQ(of("quarantine").level, Level::warning);
}

TEST_F(Doctor, AnIndexThatIsNoneIsBad) { EXPECT_EQ(check_index(folder_).level, Level::bad); }

TEST_F(Doctor, LooksAtFilesMemoryAndClock) { EXPECT_EQ(check_process_limits().size(), 3U); }

TEST_F(Doctor, WhatItCannotLookAtIsNotGood) {
  std::ofstream(folder_ + "/file") << "x";
  std::filesystem::create_symlink("loop", folder_ + "/loop");
  for (const char* name : {"/file", "/file/within", "/loop"}) {
    for (const HostFinding& finding : check_ledger_folder(folder_ + name)) {
      if (finding.what != "ledger") continue;
      EXPECT_EQ(finding.level, Level::bad) << name << ": " << finding.detail;
    }
  }
  EXPECT_EQ(check_process_limits(folder_ + "/none")[1].level, Level::warning);
  EXPECT_EQ(check_process_limits(folder_ + "/file")[1].level, Level::warning);
}

}  // namespace
}  // namespace turnstone
