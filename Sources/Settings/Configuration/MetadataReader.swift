import Foundation
import Ingest
import Wire

extension MetadataSettings {
  /// Reads `metadata:` of a station, a page's URL or keys; nil when nothing is given, or no URL.
  static func read(_ station: SettingReader) -> MetadataSettings? {
    guard let field = station.field("metadata") else { return nil }
    if case .nothing = field.node.content { return nil }
    if case .text = field.node.content {
      var url: String?
      station.read("metadata", into: &url, .webURL)
      return url.map(MetadataSettings.init(url:))
    }
    let reader = SettingReader(
      field.node, path: station.full("metadata"), known: rows.names(), problems: station.problems)
    guard case .fields = field.node.content else { return nil }
    var settings = MetadataSettings(url: "")
    rows.read(reader, into: &settings)
    settings.page.check(reader)
    return settings.url.isEmpty ? nil : settings
  }

  static let rows: [KeyRow<Self>] = [
    KeyRow("url", \.url, .webURL, missing: "write the URL of the page"),
    KeyRow("kind", \.page.kind, .word),
    KeyRow("mount", \.page.mount, .mountPath),
    KeyRow("sid", \.page.sid, .integer(ConfigurationLimits.sid)),
    KeyRow("title", \.page.paths.title, .path),
    KeyRow("artist", \.page.paths.artist, .path),
    KeyRow("artwork", \.page.paths.artwork, .path),
    KeyRow("time-zone", \.page.zone, .timeZone),
    KeyRow("interval", \.interval, .duration(ConfigurationLimits.pollInterval)),
    KeyRow("timeout", \.timeout, .duration(ConfigurationLimits.pollTimeout)),
    KeyRow("charset", \.charset, .oneCharset),
    KeyRow("instead", \.isInstead, .flag),
  ]

  /// The settings as request bodies and the store have them.
  var json: JSON { .object(Self.rows.members(of: self)) }
}

extension TitlePage {
  /// Reports keys that mean nothing for this kind of page.
  fileprivate func check(_ reader: SettingReader) {
    let hasPaths = kind == .json || kind == .xml
    if hasPaths, reader.node("title") == nil {
      reader.report("is missing; write the title's path, such as now.song.title", key: "title")
    }
    let misplaced: [(key: String, isRight: Bool, kinds: String)] = [
      ("mount", kind == .icecast || kind == .auto, "icecast"),
      ("sid", kind == .shoutcast || kind == .auto, "shoutcast"),
      ("title", hasPaths, "json or xml"), ("artist", hasPaths, "json or xml"),
      ("artwork", hasPaths, "json or xml"),
      ("time-zone", [.audiovault, .live365, .auto].contains(kind), "audiovault or live365"),
    ]
    for (key, isRight, kinds) in misplaced where reader.node(key) != nil && !isRight {
      reader.report("has no effect here; it is for kind: \(kinds)", key: key)
    }
  }
}

extension ValueRule where Value == String {
  /// The path of a value in a document.
  fileprivate static var path: ValueRule {
    let wanted = "names joined by dots, such as now.song.title"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let steps = text.split(separator: ".", omittingEmptySubsequences: false)
      guard text.count <= 256, steps.allSatisfy({ !$0.isEmpty }) else {
        throw InvalidValue(quoting: text, "is no path; write \(wanted)")
      }
      return text
    }
  }
}

extension ValueRule where Value == ZoneOffsets {
  static var timeZone: ValueRule {
    let wanted = "a time zone, such as Europe/Berlin or +02:00"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      guard let zone = ZoneOffsets(text) else {
        throw InvalidValue(quoting: text, "is not \(wanted)")
      }
      return zone
    }
  }
}

extension ZoneOffsets {
  // From 2025-01-01, 40 years with two changes each: a zone is the same whenever it is read.
  private static let beginning = 1_735_689_600.0
  private static let changesMax = 80

  /// The time zone of this machine.
  package static let machine = ZoneOffsets(TimeZone.current)

  /// Reads a zone as people write it: `+02:00`, or a name.
  package init?(_ text: String) {
    if let fixed = ZoneOffsets(fixed: text) {
      self = fixed
    } else {
      self.init(named: text)
    }
  }

  /// Reads a zone from the system's tables; nil for a zone that they lack.
  init?(named name: String) {
    guard let zone = TimeZone(identifier: name) else { return nil }
    self.init(zone, name: name)
  }

  private init(_ zone: TimeZone, name: String? = nil) {
    var date = Date(timeIntervalSince1970: Self.beginning)
    var changes = [Change(from: .min, offset: zone.secondsFromGMT(for: date))]
    while changes.count < Self.changesMax,
      let next = zone.nextDaylightSavingTimeTransition(after: date),
      next > date
    {
      changes.append(
        Change(
          from: Int64(bounded: next.timeIntervalSince1970), offset: zone.secondsFromGMT(for: next)))
      date = next
    }
    self.init(name: name ?? zone.identifier, changes: changes)
  }
}
