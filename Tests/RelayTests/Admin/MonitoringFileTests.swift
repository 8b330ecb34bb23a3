import Foundation
import Longwave
import TestSupport
import Testing

/// The files for Prometheus and Grafana in Config/monitoring, by promtool and against the metrics there are.
@Suite struct MonitoringFileTests {
  private static let folder = Repository.root + "/Config/monitoring"
  private static let hasPromtool = Binary.find("promtool") != nil

  private static func text(_ name: String) throws -> String {
    try Repository.text("Config/monitoring/\(name)")
  }

  @Test(
    .enabled(if: hasPromtool, "promtool is in Debian's package prometheus"),
    arguments: [
      ["check", "rules", folder + "/longwave.rules.yml"],
      ["check", "config", folder + "/prometheus.yml"],
      ["test", "rules", Repository.root + "/Tests/Monitoring/longwave.rules.test.yml"],
    ])
  func `promtool takes the files, and each alert fires when it is to`(
    arguments: [String]
  ) async throws {
    let result = try await ChildProcess.run(["promtool"] + arguments)
    #expect(result.status == 0, "\(result.output)\(result.log)")
  }

  @Test func `every alert has its story in the tests, in which it fires, and one in which not`()
    throws
  {
    let rules = try Self.text("longwave.rules.yml")
    let stories = try Repository.text("Tests/Monitoring/longwave.rules.test.yml")
    let alerts = rules.matches(of: /- alert: (\w+)/).map { String($0.1) }
    #expect(alerts.count > 5)
    for alert in alerts {
      let own = stories.split(separator: "- eval_time:").filter {
        $0.contains("alertname: \(alert)\n")
      }
      #expect(own.contains { $0.contains("exp_alerts: []") }, "\(alert) is always silent")
      #expect(own.contains { $0.contains("exp_labels") }, "\(alert) never fires")
    }
    // An alert on what is always there would fire for ever.
    #expect(!rules.contains("vector("))
  }

  /// The expressions of the dashboard, with its variables filled in.
  private static var dashboard: [String] {
    get throws {
      let json = try #require(JSON.parse(Array(try text("grafana.json").utf8)))
      let annotations = json["annotations"]?["list"]?.items ?? []
      let targets = json["panels"]?.items.flatMap { $0["targets"]?.items ?? [] } ?? []
      return (targets + annotations).compactMap { $0["expr"]?.string }.map {
        $0.replacingOccurrences(of: "$__rate_interval", with: "5m")
          .replacingOccurrences(of: "$station", with: ".*")
          .replacingOccurrences(of: "$instance", with: ".*")
      }
    }
  }

  @Test(.enabled(if: hasPromtool, "promtool is in Debian's package prometheus"))
  func `every expression of the dashboard is one of Prometheus`() async throws {
    let expressions = try Self.dashboard
    #expect(expressions.count > 30 && expressions.allSatisfy { !$0.contains("$") })
    let folder = TemporaryDirectory()
    let rules = expressions.enumerated().map { index, expression in
      "      - record: panel:\(index)\n        expr: |\n          \(expression)\n"
    }
    let file = "groups:\n  - name: dashboard\n    rules:\n" + rules.joined()
    try file.write(toFile: folder.path + "/rules.yml", atomically: true, encoding: .utf8)
    let result = try await ChildProcess.run([
      "promtool", "check", "rules", folder.path + "/rules.yml",
    ])
    #expect(result.status == 0, "\(result.output)\(result.log)")
  }

  @Test func `every panel of the dashboard has a place, and every target its source`() throws {
    let json = try #require(JSON.parse(Array(try Self.text("grafana.json").utf8)))
    let panels = json["panels"]?.items ?? []
    #expect(Set(panels.compactMap { $0["id"]?.integer }).count == panels.count)
    var taken: Set<[Int]> = []
    for panel in panels {
      let place = try #require(panel["gridPos"])
      let (x, y) = (try #require(place["x"]?.integer), try #require(place["y"]?.integer))
      let (w, h) = (try #require(place["w"]?.integer), try #require(place["h"]?.integer))
      for column in x..<(x + w) {
        for row in y..<(y + h) { #expect(taken.insert([column, row]).inserted && column < 24) }
      }
      for target in panel["targets"]?.items ?? [] {
        #expect(target["datasource"]?["uid"]?.string == "${datasource}")
      }
    }
  }

  @Test func `every metric that rules and dashboard name is told by a relay`() async throws {
    let names = /\b(?:longwave|process)_[a-z_]+\b/
    let texts = [try Self.text("longwave.rules.yml")] + (try Self.dashboard)
    let named = Set(texts.flatMap { $0.matches(of: names).map { String($0.output) } })
    #expect(named.count > 30)
    try await Scenario.withRelay([]) { relay in
      let told = MetricTable(of: try await relay.get("/metrics").text).families
      let samples = told.flatMap { name, family in
        family.type == "histogram" ? ["_bucket", "_sum", "_count"].map { name + $0 } : [name]
      }
      #expect(named.subtracting(samples).isEmpty)
    }
  }
}
