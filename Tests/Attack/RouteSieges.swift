import Foundation
import TestSupport

/// What everybody may ask, as the relay describes it: many times at once, and once with as much in it as may be.
extension Siege {
  static func routes(of surface: Surface) -> [Siege] {
    surface.operations.filter { $0.method == "GET" && !$0.isAdministrative }
      .flatMap { operation in
        operation.publicTargets.flatMap { [crowd(at: $0, operation), cost(of: $0, operation)] }
      }
  }

  private static let crowdCount = 60
  private static let crowdAddresses = 8
  /// What so many answers may take of memory together; each is bounded by itself below.
  private static let memoryMax = 512 << 20

  private static func crowd(at target: String, _ operation: Surface.Operation) -> Siege {
    var crowd = ConnectionCrowd(crowdCount, get(target, "Accept-Encoding: gzip\r\n"))
    crowd.addresses = crowdAddresses
    crowd.isAnswered = true
    return Siege("\(crowdCount) at once: \(target)") { [crowd] besieged in
      let before = besieged.process.memory
      besieged.process.forgetPeak()
      crowd.hold(besieged)
      let more = besieged.process.peak - before
      return more > memoryMax ? "\(crowdCount) answers take \(more >> 20) MB of memory" : nil
    }
  }

  private static func cost(of target: String, _ operation: Surface.Operation) -> Siege {
    Siege("cost of \(target)") { besieged in
      for request in CostlyRequest.requests(for: target, operation) {
        if let what = CostlyRequest(request, operation).ask(besieged) { return what }
      }
      return nil
    }
  }
}

extension Surface.Operation {
  /// With the station for which there is most to say, and whatever makes it say more.
  var publicTargets: [String] {
    stationsOfMost.map { station in
      let path = path.replacing("{station}", with: station)
        .replacing("{file}", with: Setup.crowdFile).replacing("{token}", with: "kitchen-radio-1")
      let pairs = places.compactMap { place -> String? in
        guard case .query(let name) = place, let value = Self.most[name] else { return nil }
        return "\(name)=\(value)"
      }
      return pairs.isEmpty ? path : path + "?" + pairs.joined(separator: "&")
    }
  }

  private static let most = ["limit": "1000", "type": "json", "json": "1", "from": "-10m"]

  private var stationsOfMost: [String] {
    guard path.contains("{station}") else { return [""] }
    if path.hasSuffix("/clip") { return ["late"] }
    if path == "/{station}" { return ["aac"] }
    return isStream ? [Setup.crowd] : [Setup.crowd, Setup.loud]
  }
}
