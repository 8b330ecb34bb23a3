import Foundation
import Longwave

/// Takes away what attacks have made, whichever of them it was: else a relay has more to do with each thousand.
struct Sweeper {
  private let victim: Victim
  private let own: Set<String>

  /// - Parameter own: what stays.
  init(_ victim: Victim, _ own: Set<String>) { (self.victim, self.own) = (victim, own) }

  /// How many are left.
  func sweep(keeping count: Int) -> Int {
    var kept = 0
    for (list, key) in [("stations", "stations"), ("recordings", "recordings"), ("bans", "bans")] {
      let all = names(in: list, key)
      // A recording that is deleted has ended first.
      let times = list == "recordings" ? 2 : 1
      for name in all.dropLast(count) {
        for _ in 0..<times {
          _ = Victim.administer("DELETE", "/api/v1/\(list)/\(name)", nil, victim.doors)
        }
      }
      kept += min(count, all.count)
    }
    return kept
  }

  private func names(in list: String, _ key: String) -> [String] {
    let answer = Victim.administer("GET", "/api/v1/\(list)", nil, victim.doors)
    guard let answer, let json = JSON.parse(Array(answer.body)) else { return [] }
    let elements = json[key]?.elements ?? json.elements
    return elements.compactMap { $0["id"].map { $0.string ?? $0.text } }
      .filter { list != "stations" || !own.contains($0) }
  }
}
