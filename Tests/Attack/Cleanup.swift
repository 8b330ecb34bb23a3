import Foundation
import Longwave

/// Takes away what attacks have made, whichever of them it was: else a relay has more to do with each thousand.
struct Cleanup {
  private let relay: AttackedRelay
  private let own: Set<String>

  /// - Parameter own: what stays.
  init(_ relay: AttackedRelay, _ own: Set<String>) { (self.relay, self.own) = (relay, own) }

  /// How many are left.
  func remove(keeping count: Int) -> Int {
    var kept = 0
    for (list, key) in [("stations", "stations"), ("recordings", "recordings"), ("bans", "bans")] {
      let all = names(in: list, key)
      // A recording that is deleted has ended first.
      let times = list == "recordings" ? 2 : 1
      for name in all.dropLast(count) {
        for _ in 0..<times {
          _ = AttackedRelay.administer("DELETE", "/api/v1/\(list)/\(name)", nil, relay.addresses)
        }
      }
      kept += min(count, all.count)
    }
    return kept
  }

  private func names(in list: String, _ key: String) -> [String] {
    let answer = AttackedRelay.administer("GET", "/api/v1/\(list)", nil, relay.addresses)
    guard let answer, let json = JSON.parse(Array(answer.body)) else { return [] }
    let elements = json[key]?.elements ?? json.elements
    return elements.compactMap { $0["id"].map { $0.string ?? $0.text } }
      .filter { list != "stations" || !own.contains($0) }
  }
}
