import Wire

/// The rules of RFC 8216bis, of Apple's "HLS Authoring Specification", and of this program's promises that a playlist's
/// text can be held to.
public enum PlaylistRules {
  public enum Rule: String, Sendable, CaseIterable {
    // Of one playlist.
    case text, tag, attribute, address, segment, version, target, number, control, date, range,
      map, start, end, skip, variant
    // Of a playlist and the one before.
    case numberBack, discontinuityBack, targetChange, changed, renamed, rangeChanged, tooShort,
      resurrected, unmerged
    // Of the playlists of one programme's qualities.
    case unequal
  }

  public struct Violation: Hashable, Sendable, CustomStringConvertible {
    public var rule: Rule
    public var text: String
    public var description: String { "\(rule): \(text)" }
  }

  /// What is wrong so far.
  struct Findings {
    var found: [Violation] = []

    mutating func check(_ isKept: Bool, _ rule: Rule, _ text: String) {
      if !isKept { found.append(Violation(rule: rule, text: text)) }
    }
  }

  // MARK: One playlist

  /// What is wrong with one media or multivariant playlist.
  public static func violations(of text: [UInt8]) -> [Violation] {
    let list = ReadPlaylist(text)
    var found = list.violations
    let isMultivariant = list.value("EXT-X-STREAM-INF") != nil
    found += isMultivariant ? multivariant(list) : media(list)
    return found
  }

  private static func multivariant(_ list: ReadPlaylist) -> [Violation] {
    var findings = Findings()
    findings.check(!list.variants.isEmpty, .variant, "no variant")
    findings.check(
      list.tags.filter { $0.name == "EXT-X-STREAM-INF" }.count == list.variants.count, .variant,
      "a variant without address")
    findings.check(list.segments.isEmpty, .variant, "segments among variants")
    findings.check(list.value("EXT-X-TARGETDURATION") == nil, .variant, "a tag of media playlists")
    for variant in list.variants {
      let most = variant.attributes["BANDWIDTH"].flatMap { Int($0) } ?? 0
      let average = variant.attributes["AVERAGE-BANDWIDTH"].flatMap { Int($0) } ?? 0
      findings.check(most > 0, .variant, "no BANDWIDTH of \(variant.url)")
      findings.check(
        average > 0 && average <= most, .variant, "AVERAGE-BANDWIDTH of \(variant.url)")
      findings.check(
        !(variant.attributes["CODECS"] ?? "").isEmpty, .variant, "no CODECS of \(variant.url)")
    }
    findings.check(
      Set(list.variants.map(\.url)).count == list.variants.count, .variant, "an address twice")
    return findings.found
  }

  private static func media(_ list: ReadPlaylist) -> [Violation] {
    var findings = Findings()
    let version = list.number("EXT-X-VERSION") ?? 1
    let target = list.number("EXT-X-TARGETDURATION") ?? 0
    findings.check(target > 0, .target, "no EXT-X-TARGETDURATION")
    for segment in list.segments {
      let seconds = ((segment.length ?? 0) + 50_000) / 100_000
      findings.check(seconds <= target, .target, "\(segment.extinf) of \(segment.url)")
    }
    findings.check(!list.segments.isEmpty, .segment, "no segment")
    let fractions = list.segments.contains { $0.extinf.contains(".") }
    findings.check(version >= (fractions ? 3 : 1), .version, "decimals need 3")
    let mapped = list.segments.contains { $0.map != nil }
    findings.check(version >= (mapped ? 6 : 1), .version, "EXT-X-MAP needs 6")
    for name in ["EXT-X-MEDIA-SEQUENCE", "EXT-X-DISCONTINUITY-SEQUENCE"] {
      let number = list.number(name) ?? -1
      findings.check(
        (0..<Int(PieceName.numbersEnd)).contains(number), .number, "\(name) \(number)")
    }
    findings.check(
      Set(list.segments.map(\.url)).count == list.segments.count, .address, "an address twice")
    return findings.found + control(list, target, version) + dates(list) + formats(list)
      + ends(list)
  }

  /// §4.4.3.8 and §4.4.5.2.
  private static func control(
    _ list: ReadPlaylist, _ target: Int, _ version: Int
  ) -> [Violation] {
    var findings = Findings()
    let control = list.attributes("EXT-X-SERVER-CONTROL") ?? [:]
    let boundary = control["CAN-SKIP-UNTIL"].flatMap { Double($0) }
    let holdBack = control["HOLD-BACK"].flatMap { Double($0) }
    findings.check(boundary.map { $0 >= Double(6 * target) } ?? true, .control, "CAN-SKIP-UNTIL")
    findings.check(holdBack.map { $0 >= Double(3 * target) } ?? true, .control, "HOLD-BACK")
    findings.check(
      control["CAN-SKIP-DATERANGES"] == nil || boundary != nil, .control,
      "CAN-SKIP-DATERANGES without CAN-SKIP-UNTIL")
    for key in ["CAN-BLOCK-RELOAD", "CAN-SKIP-DATERANGES"] {
      findings.check(control[key] ?? "YES" == "YES", .control, key)
    }
    guard list.value("EXT-X-SKIP") != nil else { return findings.found }
    let skip = list.attributes("EXT-X-SKIP") ?? [:]
    findings.check(list.skipped > 0, .skip, "skips nothing")
    findings.check(
      boundary != nil && !list.isFinished, .skip, "EXT-X-SKIP where nothing may be skipped")
    findings.check(
      Double(list.length) / 100_000 >= (boundary ?? 0), .skip, "skips what is newer than allowed")
    let skipsTitles = skip["RECENTLY-REMOVED-DATERANGES"] != nil
    findings.check(
      version >= (skipsTitles ? 10 : 9), .version, "EXT-X-SKIP needs 9, without titles 10")
    return findings.found
  }

  /// §4.4.4.6 and §4.4.5.1; Apple wants a date in each live list.
  private static func dates(_ list: ReadPlaylist) -> [Violation] {
    var findings = Findings()
    findings.check(list.segments.first?.isDated ?? true, .date, "no date of the first segment")
    var ids: [String: [String: String]] = [:]
    for tag in list.tags where tag.name == "EXT-X-DATERANGE" {
      let (range, problem) = ReadPlaylist.attributes(tag.value)
      findings.check(problem == nil, .attribute, "EXT-X-DATERANGE: \(problem ?? "")")
      let id = range["ID"] ?? ""
      findings.check(!id.isEmpty, .range, "no ID")
      findings.check(
        range["START-DATE"].flatMap(ReadPlaylist.date) != nil, .range, "no START-DATE of \(id)")
      findings.check(ids[id] == nil, .range, "\(id) twice")
      ids[id] = range
      if let ends = range["END-ON-NEXT"] {
        findings.check(ends == "YES" && range["CLASS"] != nil, .range, "END-ON-NEXT of \(id)")
        findings.check(
          range["DURATION"] == nil && range["END-DATE"] == nil, .range, "an end of \(id) besides")
      }
      let known: Set = ["ID", "CLASS", "START-DATE", "END-ON-NEXT", "END-DATE", "DURATION"]
      for key in range.keys where !known.contains(key) {
        findings.check(key.hasPrefix("X-"), .range, "an unknown attribute \(key) of \(id)")
        findings.check(
          (range[key]?.utf8.count ?? 0) <= HLSTitle.bytesMax, .range, "a long \(key) of \(id)")
      }
    }
    findings.check(
      ids.isEmpty || list.segments.contains { $0.isDated }, .range, "titles without any date")
    return findings.found
  }

  /// Apple 2.x: fragments have a map; packed audio is MP3 or AAC (RFC 8216 §3.4).
  private static func formats(_ list: ReadPlaylist) -> [Violation] {
    list.segments.compactMap { segment in
      let ending = segment.url.split(separator: ".").last ?? ""
      if ending == "m4s", segment.map == nil {
        return Violation(rule: .map, text: "no EXT-X-MAP of \(segment.url)")
      }
      if !["m4s", "mp3", "aac"].contains(ending) {
        return Violation(rule: .map, text: "players do not know the ending of \(segment.url)")
      }
      return nil
    }
  }

  /// §4.4.2.2, §4.4.3.4 and §4.4.3.5.
  private static func ends(_ list: ReadPlaylist) -> [Violation] {
    var findings = Findings()
    if let start = list.value("EXT-X-START") {
      let (attributes, problem) = ReadPlaylist.attributes(start)
      findings.check(problem == nil, .attribute, "EXT-X-START: \(problem ?? "")")
      let offset = attributes["TIME-OFFSET"].flatMap { Double($0) }
      findings.check(offset != nil, .start, "no TIME-OFFSET")
      let isWithin = abs(offset ?? 0) * 100_000 <= Double(list.length) || list.skipped > 0
      findings.check(isWithin, .start, "TIME-OFFSET outside of the list")
      findings.check(["YES", "NO"].contains(attributes["PRECISE"] ?? "NO"), .start, "PRECISE")
    }
    if let type = list.value("EXT-X-PLAYLIST-TYPE") {
      findings.check(["VOD", "EVENT"].contains(type), .end, "EXT-X-PLAYLIST-TYPE:\(type)")
      findings.check(type != "VOD" || list.isFinished, .end, "VOD without EXT-X-ENDLIST")
    }
    if list.isFinished {
      findings.check(list.value("EXT-X-SERVER-CONTROL") == nil, .end, "reloads of a finished list")
      findings.check(list.tags.last?.name == "EXT-X-ENDLIST", .end, "tags behind EXT-X-ENDLIST")
    }
    return findings.found
  }
}
