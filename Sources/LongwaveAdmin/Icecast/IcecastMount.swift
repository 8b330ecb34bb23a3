import Ingest
import Longwave
import Server
import Wire

/// A mount of Icecast's configuration. What it does not say, the mount of type `default` says for it.
struct IcecastMount {
  let own: IcecastNode?
  let standard: IcecastNode?

  /// Returns the element that counts.
  func node(_ name: String) -> IcecastNode? { own?.child(name) ?? standard?.child(name) }

  func look(_ name: String) -> String? {
    node(name).flatMap { $0.text.isEmpty ? nil : $0.text }
  }

  /// Uses the element that counts, if its text can be read.
  func use<Value>(_ name: String, _ read: (String) -> Value?) -> Value? {
    guard let node = node(name), !node.text.isEmpty, let value = read(node.text) else { return nil }
    node.use()
    return value
  }

  /// Uses the settings that a station has a key for.
  func describe(_ station: inout StationDefinition) {
    func text(_ name: String, max: Int = 256) -> String? {
      use(name) { try? ValueRule<String>.text(max: max).parse($0) }
    }
    func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
      use(name) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
    station.name = text("stream-name") ?? station.name
    station.description = text("stream-description", max: 1024)
    station.genre = text("genre")
    station.homepage = use("stream-url") { WebURL.isValid($0) ? $0 : nil }
    station.isPublic = use("public") { $0 == "1" ? true : nil } ?? false
    station.isListed = use("hidden") { ["0": true, "1": false][$0] } ?? true
    station.listenersMax = number("max-listeners", ConfigurationLimits.listenersMax)
    station.metaint = number("mp3-metadata-interval", ConfigurationLimits.metaint)
    station.listeningTimeMax = use("max-listener-duration") {
      Double($0).flatMap { ConfigurationLimits.listeningTime.contains($0) && $0 > 0 ? $0 : nil }
    }
    station.connection.dataTimeout = use("source-timeout") {
      Double($0).flatMap { ConfigurationLimits.dataTimeout.contains($0) ? $0 : nil }
    }
    station.burst = use("burst-size") {
      IcecastBurst.seconds(bytes: $0, bitrate: look("bitrate"))
    }
    station.encoding = use("charset") { try? CharsetName($0) }.map { TextEncoding.named($0) }
    station.type = use("type", Self.audioType)
  }

  private static func audioType(_ mediaType: String) -> AudioType? {
    switch mediaType.lowercased() {
    case "audio/mpeg", "audio/mp3": .mp3
    case "audio/aac", "audio/aacp": .aac
    case "audio/ogg", "application/ogg": .ogg
    default: nil
    }
  }

  /// Records what Icecast dumped. Returns what to say about it.
  func record(_ station: inout StationDefinition) -> [String] {
    guard let node = node("dump-file"), !node.text.isEmpty else { return [] }
    let file = node.text.split(separator: "/").last.map(String.init) ?? ""
    let bare = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    guard !bare.isEmpty, let name = try? ValueRule<String>.recordingName().parse(bare) else {
      return []
    }
    node.use()
    var rule = RecordingRule(from: 0, to: 0)
    (rule.name, rule.appends) = (name, true)
    station.record = [rule]
    return [
      "dump-file \(node.text): record: writes it into the folder of recordings:, all day long; "
        + "disk-limit: bounds it, and keep: deletes old days."
    ]
  }
}
