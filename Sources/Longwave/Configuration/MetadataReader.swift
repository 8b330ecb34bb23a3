import Foundation
import Ingest
import Wire

extension MetadataSettings {
  /// `metadata:` of a station, a page's URL or keys; nil where nothing is given, or what is given has no URL.
  static func read(_ station: SettingReader) -> MetadataSettings? {
    guard let field = station.field("metadata") else { return nil }
    if case .nothing = field.node.content { return nil }
    if case .text = field.node.content {
      var url: String?
      station.read("metadata", into: &url, .webURL)
      return url.map(MetadataSettings.init(url:))
    }
    let reader = SettingReader(
      field.node, path: station.full("metadata"), known: ConfigurationKeys.metadata,
      problems: station.problems)
    guard case .fields = field.node.content else { return nil }
    var url: String?
    reader.read("url", into: &url, .webURL)
    if reader.node("url") == nil {
      reader.report("is missing; write the URL of the page", key: "url")
    }
    var settings = MetadataSettings(url: url ?? "")
    reader.read("interval", into: &settings.interval, .duration(ConfigurationLimits.pollInterval))
    reader.read("timeout", into: &settings.timeout, .duration(ConfigurationLimits.pollTimeout))
    reader.read("charset", into: &settings.charset, .oneCharset)
    reader.read("instead", into: &settings.isInstead, .flag)
    settings.page.read(reader)
    return url == nil ? nil : settings
  }

  /// As request bodies and the store have it.
  var json: JSON {
    [
      "url": .string(url), "kind": .string(page.kind.rawValue), "mount": JSON(page.mount),
      "sid": JSON(page.sid), "title": JSON(page.paths.title), "artist": JSON(page.paths.artist),
      "artwork": JSON(page.paths.artwork), "timeZone": JSON(page.zone?.name),
      "interval": .number(interval), "timeout": .number(timeout), "charset": JSON(charset?.name),
      "instead": .bool(isInstead),
    ]
  }
}

extension TitlePage {
  fileprivate mutating func read(_ reader: SettingReader) {
    reader.read("kind", into: &kind, .word)
    reader.read("mount", into: &mount, .mountPath)
    reader.read("sid", into: &sid, .integer(ConfigurationLimits.sid))
    reader.read("title", into: &paths.title, .path)
    reader.read("artist", into: &paths.artist, .path)
    reader.read("artwork", into: &paths.artwork, .path)
    reader.read("time-zone", into: &zone, .timeZone)
    let hasPaths = kind == .json || kind == .xml
    if hasPaths, reader.node("title") == nil {
      reader.report("is missing; say where the title stands, such as now.song.title", key: "title")
    }
    let misplaced: [(key: String, isRight: Bool, kinds: String)] = [
      ("mount", kind == .icecast || kind == .auto, "icecast"),
      ("sid", kind == .shoutcast || kind == .auto, "shoutcast"),
      ("title", hasPaths, "json or xml"), ("artist", hasPaths, "json or xml"),
      ("artwork", hasPaths, "json or xml"),
      ("time-zone", [.audiovault, .live365, .auto].contains(kind), "audiovault or live365"),
    ]
    for (key, isRight, kinds) in misplaced where reader.node(key) != nil && !isRight {
      reader.report("says nothing here; it is for kind: \(kinds)", key: key)
    }
  }
}

extension ValueRule where Value == String {
  /// Where a value stands in a document.
  fileprivate static var path: ValueRule {
    let wanted = "names joined by dots, such as now.song.title"
    return ValueRule(wanted: wanted) { text throws(InvalidValue) in
      let steps = text.split(separator: ".", omittingEmptySubsequences: false)
      guard text.count <= 256, steps.allSatisfy({ !$0.isEmpty }) else {
        throw InvalidValue("\"\(text)\" is no path; write \(wanted)")
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
        throw InvalidValue("\"\(text)\" is not \(wanted)")
      }
      return zone
    }
  }
}

extension ZoneOffsets {
  // 2025-01-01, and 40 years with two changes each: the same whenever it is read.
  private static let beginning = 1_735_689_600.0
  private static let changesMax = 80

  /// This machine's.
  static let machine = ZoneOffsets(TimeZone.current)

  /// As people write it: `+02:00`, or a name.
  init?(_ text: String) {
    if let fixed = ZoneOffsets(fixed: text) {
      self = fixed
    } else {
      self.init(named: text)
    }
  }

  /// From the system's tables; nil for a zone it does not know.
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
