// `turnstone up` as a child, for the time of a measurement.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/gateway/http_client.h"
#include "events/error.h"
#include "tools/supervisor.h"

namespace turnstone {

class ServiceUnderLoad {
 public:
  // Returns when it is in service. `arguments` follow `up --http 127.0.0.1:0 --json`.
  Status start(std::vector<std::string> arguments);
  const HttpAddress& address() const { return address_; }
  // False: a stop was asked for.
  bool watch(const std::function<bool()>& done);
  void stop();

 private:
  void on_line(std::string_view line);
  Supervisor supervisor_;
  Supervisor::Child up_ = 0;
  HttpAddress address_;
};

}  // namespace turnstone
