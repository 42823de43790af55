#include <CLI/CLI.hpp>
#include <vector>

#include "tools/bench/benches.h"
#include "tools/verbs/verb.h"

namespace turnstone {

Verb add_bench(CLI::App& app) {
  CLI::App& command = add_command(app, "bench", "Measure this machine, raw probes beside every figure",
                                  "turnstone bench turn --index idx --catalogue sample.jsonl --generate-sessions 100 --durability synced\n"
                                  "turnstone bench http --index idx --catalogue sample.jsonl --generate-sessions 100 --rate 50\n"
                                  "turnstone bench bus --dir /var/tmp\n"
                                  "turnstone bench ledger --dir /var/tmp --events 1000000\n"
                                  "turnstone bench takeover --dir /var/tmp --kills 60 --freezes 20\n"
                                  "turnstone bench scaling --dir /var/tmp\n"
                                  "turnstone bench replay --index idx --catalogue sample.jsonl --generate-sessions 100\n"
                                  "turnstone bench session --index idx --catalogue sample.jsonl --generate-sessions 100 --events 50000\n"
                                  "turnstone bench sealing --index idx --catalogue sample.jsonl --generate-sessions 60 --durability synced\n"
                                  "turnstone bench index --catalogue sample.jsonl\n"
                                  "turnstone bench worker --bus ipc:///run/turnstone/bus --sleep-ms 50");
  command.require_subcommand(1);
  std::vector<Verb> benches;
  for (Verb (*add)(CLI::App&) : {add_bench_turn, add_bench_http, add_bench_bus, add_bench_ledger, add_bench_takeover, add_bench_scaling, add_bench_replay,
                                 add_bench_session, add_bench_sealing, add_bench_index, add_bench_worker}) {
    benches.push_back(add(command));
  }
  return {&command, [benches = std::move(benches)]() -> Result<ExitCode> {
            for (const Verb& bench : benches) {
              if (bench.command->parsed()) return bench.run();
            }
            return ExitCode::usage;
          }};
}

}  // namespace turnstone
