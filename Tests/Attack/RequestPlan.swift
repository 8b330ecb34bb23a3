import TestSupport
import Wire

/// Which requests are made, in an order that a seed decides: first each place with each value, one at a time; then some
/// at once, without end.
struct RequestPlan {
  /// What of the setup requests have to know.
  struct Names: Sendable {
    var stations: [String]
    /// What may be changed and removed.
    var prey = "victim"
    var token: String
    /// Instead of `HostileValues.examples`.
    var examples: [String: [String]]
  }

  private struct Shot {
    var operation: Int32
    var place: Int32
    var value: Int32
    var station: Int32
  }

  /// Header fields that any request can have, and one that would be right.
  static let headers: [(name: String, good: String)] = [
    ("Range", "bytes=0-1"), ("Range", "bytes=-5,7-9,100-"), ("Icy-MetaData", "1"),
    ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ("If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"),
    ("If-Range", "Sun, 06 Nov 1994 08:49:37 GMT"), ("If-None-Match", "\"1-2\", W/\"3\""),
    ("Host", "localhost:8000"), ("Forwarded", "for=192.0.2.1:80;proto=http"),
    ("X-Forwarded-For", "192.0.2.1, 10.0.0.1:80"), ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "a.test:80"), ("X-Real-IP", "192.0.2.1"), ("Origin", "http://a.test:80"),
    ("Authorization", "Bearer 12345678"), ("Authorization", "Basic YTpi"), ("Last-Event-ID", "17"),
    ("Content-Length", "10"), ("Transfer-Encoding", "chunked"), ("Expect", "100-continue"),
    ("Connection", "close, 1"), ("Upgrade", "TLS/1.0, HTTP/2.0"), ("Accept-Encoding", "gzip;q=0.5"),
    ("Content-Type", "audio/mpeg; a=1"), ("User-Agent", "Player/1.0"), ("Referer", "http://a/1"),
    ("Cookie", "a=1"), ("TE", "trailers"), ("Sec-Fetch-Site", "cross-site"),
    ("Accept", "*/*;q=0.1"),
    ("ice-audio-info", "bitrate=128;channels=2"), ("icy-br", "128"), ("ice-public", "1"),
  ]

  static let methods = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "SOURCE",
    "STATS",
    "get", "PROPFIND", "M-SEARCH", "G", "GET/", "PRI",
  ]

  let surface: Surface
  let names: Names
  private var random: SplitMix
  private var shots: [Shot]
  private var nextShot = 0
  private var made = 0
  private var known: [Surface.Place: [[UInt8]]] = [:]
  /// What has been found to be broken is not tried again.
  private(set) var muted: Set<String> = []

  init(_ surface: Surface, names: Names, seed: UInt64) {
    self.surface = surface
    self.names = names
    random = SplitMix(seed: seed)
    shots = []
    var tiers: [[Shot]] = [[], [], []]
    for index in surface.operations.indices { add(index, to: &tiers) }
    for index in tiers.indices { tiers[index].shuffle(using: &random) }
    // What has broken most is tried before anything else, of streams on a station that is behind.
    shots = tiers[1].filter(isExtreme)
    // The few early, but not so that a short run sees nothing else.
    var few = tiers[0][...]
    for (index, shot) in tiers[1].enumerated() {
      shots.append(shot)
      if index % 2 == 1, let next = few.popFirst() { shots.append(next) }
    }
    shots += few + tiers[2]
  }

  mutating func mute(_ place: String) { muted.insert(place) }

  /// Bodies of odd shapes are no news any more: they would keep everything else waiting.
  var skipsShapes = false

  /// How many are left with one odd value each.
  var singlesLeft: Int { shots.count - nextShot }

  /// First whole bodies, whole queries and values of another type, which are few; then each place with each of its
  /// values, on a station or two; then on the other stations.
  private mutating func add(_ index: Int, to tiers: inout [[Shot]]) {
    let operation = surface.operations[index]
    let stations = stations(of: operation)
    let headers = Self.headers.map { Surface.Place.header($0.name) }
    for (number, place) in (operation.places + headers).enumerated() {
      let isCommon = number >= operation.places.count
      let good = isCommon ? Self.headers[number - operation.places.count].good : nil
      let count = values(at: place, good: good).count
      for value in 0..<count {
        // What any request can have is tried with those that differ in what they make of it.
        if isCommon, !(operation.isStream ? Self.isFirst(operation) : value % 64 == index % 64) {
          continue
        }
        var few = [Int.random(in: stations.indices, using: &random)]
        // Files differ from streams in what they make of a request, and copies in what they make of time.
        if stations.count > 1 { few += [0, 1] + (isCommon ? [] : [2]) }
        for station in stations.indices {
          let isSpecial = Self.isSpecial(place, value)
          if isCommon, !few.contains(station) { continue }
          let tier = isSpecial ? 0 : few.contains(station) ? 1 : 2
          if tier == 0, station != few[0] { continue }
          tiers[tier].append(
            Shot(
              operation: Int32(index), place: Int32(number), value: Int32(value),
              station: Int32(stations[station])))
        }
      }
    }
  }

  private static func isSpecial(_ place: Surface.Place, _ value: Int) -> Bool {
    switch place {
    case .wholeBody, .wholeQuery, .method: true
    case .field: value < HostileJSON.specials
    case .path, .query, .header: false
    }
  }

  private func isExtreme(_ shot: Shot) -> Bool {
    let places = surface.operations[Int(shot.operation)].places
    guard places.indices.contains(Int(shot.place)) else { return false }
    let values = known[places[Int(shot.place)]] ?? []
    let value = values.indices.contains(Int(shot.value)) ? values[Int(shot.value)] : []
    let isOfStation = surface.operations[Int(shot.operation)].path.contains("{station}")
    let station = names.stations[Int(shot.station)]
    return Self.extremes.contains(value)
      && (!isOfStation || station == Self.delayed || station == names.prey)
  }

  private static let extremes = Set(
    HostileValues.extremes.flatMap { [Array($0.utf8), HostileJSON.quoted(Array($0.utf8))] })
  /// A copy of a station, some time behind it.
  private static let delayed = "late"

  private static func isShape(_ place: Surface.Place, _ value: Int) -> Bool {
    switch place {
    case .wholeBody: true
    case .field: isSpecial(place, value) && value >= HostileValues.numbers.count
    default: false
    }
  }

  /// The kinds of playlists are one in this.
  private static func isFirst(_ operation: Surface.Operation) -> Bool {
    !operation.path.hasPrefix("/{station}.") || operation.path.hasSuffix(".m3u")
  }

  private func stations(of operation: Surface.Operation) -> [Int] {
    guard operation.path.contains("{station}") else { return [0] }
    if operation.method == "GET" { return Array(names.stations.indices) }
    return [names.stations.firstIndex(of: names.prey) ?? 0]
  }

  // MARK: Values

  private mutating func values(at place: Surface.Place, good: String?) -> [[UInt8]] {
    let key = good.map { Surface.Place.header("\(place.text) \($0)") } ?? place
    if let values = known[key] { return values }
    let name = place.valueName
    let values: [[UInt8]] =
      switch place {
      case .wholeQuery: Self.queries
      case .wholeBody: HostileJSON.shapes
      case .method: Self.methods.map { Array($0.utf8) }
      case .field: HostileJSON.values(for: name, good: examples(for: name))
      case .header:
        (good.map { [$0] } ?? examples(for: name)).flatMap(HostileValues.variants)
          + HostileValues.all
      case .path, .query: examples(for: name).flatMap(HostileValues.variants) + HostileValues.all
      }
    known[key] = values
    return values
  }

  private func examples(for name: String) -> [String] {
    names.examples[name] ?? HostileValues.examples(for: name)
  }

  private static let queries: [[UInt8]] =
    [
      "?", "??", "?#", "?a", "?=", "?&", "?;", "?a=1&a=2", "?%", "?%00=%00", "?offset",
      "?at=&offset=",
      "?offset=1&offset=2", "?OFFSET=1", "?%6Fffset=1", "?offset%00=1", "?session=a&session=b",
      "?token=&token=x", "?from=-1m&to=-2m", "?from=&to=", "?at=1&loop=1", "?from=10&to=1&loop=1",
    ].map { Array($0.utf8) }
    + [
      ("&", 7000), ("a&", 3000), ("a=1&", 1500), ("%41=%41&", 800), ("at=1&", 1000), ("[]=&", 1500),
    ]
    .map { Array("?".utf8) + Array(String(repeating: $0.0, count: $0.1).utf8) }

  // MARK: Requests

  /// The next one; nil: what it tries is muted.
  mutating func next() -> Attack? {
    made += 1
    if nextShot < shots.count {
      let shot = shots[nextShot]
      nextShot += 1
      return attack(
        Int(shot.operation), odd: [(Int(shot.place), Int(shot.value))], station: Int(shot.station))
    }
    let index = Int.random(in: surface.operations.indices, using: &random)
    let operation = surface.operations[index]
    let count = operation.places.count + Self.headers.count
    let odd = (0..<Int.random(in: 2...4, using: &random)).map { _ in
      (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<10_000, using: &random))
    }
    let station = stations(of: operation).randomElement(using: &random) ?? 0
    return attack(index, odd: odd, station: station)
  }

  private mutating func attack(
    _ index: Int, odd: [(place: Int, value: Int)], station: Int
  ) -> Attack? {
    let operation = surface.operations[index]
    var parts = RequestParts(operation, station: names.stations[station], names: names)
    var places: [String] = []
    for (number, value) in odd {
      let isCommon = number >= operation.places.count
      let common = isCommon ? Self.headers[number - operation.places.count] : nil
      let place = common.map { .header($0.name) } ?? operation.places[number]
      places.append("\(operation.name) \(place.text)")
      if muted.contains(places[places.count - 1]) { return nil }
      let values = values(at: place, good: common?.good)
      if skipsShapes, Self.isShape(place, value % values.count) { return nil }
      parts.set(place, values[value % values.count])
    }
    // Who has no token is refused before anything is read, or should be.
    let hasToken = Int.random(in: 0..<8, using: &random) > 0
    if odd.contains(where: {
      $0.place < operation.places.count && operation.places[$0.place] == .method
    }) {
      return parts.request(number: made, hasToken: false).attack(way(), place: places[0])
    }
    let isAsked = Int.random(in: 0..<16, using: &random) == 0 && operation.method == "GET"
    if isAsked { parts.method = "HEAD" }
    var attack = parts.request(number: made, hasToken: hasToken).attack(
      way(), place: places.joined(separator: " + "))
    // A stream's answer may wait for its first packet, and has no end; a file without a name is the stream.
    let target = attack.bytes.split(separator: 32, maxSplits: 2).dropFirst().first ?? []
    let isNameless = target.prefix { $0 != UInt8(ascii: "?") }.last == UInt8(ascii: "/")
    if operation.path == "/{station}" || operation.isStream && isNameless, !isAsked {
      attack.isPlain = false
    }
    return attack
  }

  private mutating func way() -> Attack.Way {
    switch Int.random(in: 0..<32, using: &random) {
    case 0: .tls
    case 1...4: .unix
    default: .tcp
    }
  }
}
