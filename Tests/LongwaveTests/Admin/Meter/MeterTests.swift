import Longwave
import Testing

@testable import LongwaveAdmin

/// A level meter's model and its picture.
@Suite struct MeterTests {
  private func levels(
    _ decibels: [Double], media: Double = 100, peak: Double = 3, _ loudness: JSON = .null
  ) -> JSON {
    [
      "kind": "levels", "station": "jazz", "media": .number(media),
      "channels": .array(
        decibels.map { ["rms": .number($0), "peak": .number($0 + peak), "display": .number(0)] }),
      "loudness": loudness, "correlation": .number(0.98),
    ]
  }

  private var spectrum: JSON {
    [
      "kind": "spectrum",
      "bands": .array(
        (0..<24).map { ["frequency": .number(100), "level": .number(-60 + 2.5 * Double($0))] }),
    ]
  }

  private func model(_ decibels: [Double], title: String = "Sinnerman") -> MeterModel {
    var model = MeterModel(station: "jazz")
    model.receive(
      timeline: [
        "live": ["media": .number(110)],
        "titles": .array([["media": .number(5), "title": .string(title), "artist": .null]]),
      ], at: 10)
    model.receive(
      levels(decibels, ["momentary": .number(-22.84), "integrated": .number(-23)]), at: 10)
    model.receive(spectrum, at: 10)
    return model
  }

  /// Columns of a line, colours left out.
  private func width(_ line: String) -> Int {
    TerminalText.width(line.replacing(/\u{1B}\[[0-9]*m/, with: ""))
  }

  @Test(arguments: [1, 5, 20, 24, 40, 80, 200], [[-23.0, -60], [-6]])
  func `the meter's lines are no wider, and no more, than the terminal's`(
    columns: Int, decibels: [Double]
  ) {
    for title in ["Sinnerman", String(repeating: "長い題名 ", count: 60), "a\u{1B}[2Jb\nc"] {
      for rows in [1, 2, 5, 24] {
        for isUnicode in [true, false] {
          let picture = MeterPicture(width: columns, height: rows, isUnicode: isUnicode)
          let lines = picture.lines(model(decibels, title: title))
          #expect(lines.count <= rows)
          for line in lines {
            #expect(width(line) <= columns, "\(columns): \(line)")
            let rest = line.replacing(/\u{1B}\[[0-9]*m/, with: "")
            #expect(!rest.unicodeScalars.contains { $0.value < 32 || $0.value == 0x7F })
            if !isUnicode, title == "Sinnerman" { #expect(rest.utf8.allSatisfy { $0 < 128 }) }
          }
        }
      }
    }
  }

  @Test func `bars are as long as the level, and green, yellow and red by its height`() throws {
    let picture = MeterPicture(width: 72, height: 24)
    // 60 cells: −30 dB is half of them, −3 dB 57.
    for (decibels, cells, colours) in [(-30.0, 30, ["32"]), (-3, 57, ["32", "33", "31"])] {
      var quiet = MeterModel(station: "jazz")
      quiet.receive(levels([decibels], peak: 0), at: 1)
      let line = try #require(picture.lines(quiet).first { $0.contains("█") })
      #expect(line.count { $0 == "█" } == cells)
      let found = line.matches(of: /\u{1B}\[(3[0-9])m/).map { String($0.output.1) }
      #expect(found == colours || found == colours + ["33"] || found.starts(with: colours))
      #expect(line.hasSuffix("dB"))
    }
    let plain = MeterPicture(width: 72, height: 24, hasColors: false)
    #expect(plain.lines(model([-3])).allSatisfy { !$0.contains("\u{1B}") })
  }

  @Test func `silence is told as it is`() {
    let lines = MeterPicture(width: 60, height: 24).lines(model([-120, -23.01]))
    #expect(lines.contains { $0.contains("-∞ dB") } && lines.contains { $0.contains("-23.0 dB") })
    let plain = MeterPicture(width: 60, height: 24, isUnicode: false).lines(model([-120]))
    #expect(plain.contains { $0.contains("-inf dB") })
    #expect(lines.contains { $0.contains("M -22.8 LUFS") && $0.contains("I -23.0 LUFS") })
  }

  @Test func `a whole number is a number, and what is not known yet is no silence`() throws {
    let event = """
      {"kind": "levels", "media": 100, "channels": [{"rms": -23, "peak": -20}, {"rms": -120, "peak": null}],
       "loudness": {"momentary": -22, "shortTerm": null, "range": 5}, "correlation": 1}
      """
    var model = MeterModel(station: "jazz")
    model.receive(try #require(JSON.parse(Array(event.utf8))), at: 1)
    #expect(MeterPicture.line(model) == "L -23.0 dB  R -∞ dB  M -22.0 LUFS  I - LUFS")
    let figures = try #require(MeterPicture(width: 90, height: 24).lines(model).last)
    #expect(
      figures == "M -22.0 LUFS  S - LUFS  I - LUFS  LRA 5.0 LU  TP - dBTP  corr +1.00",
      "\(figures)")
  }

  @Test func `a bar rises at once, falls by 20 dB a second, and its peak stays`() {
    var model = MeterModel(station: "jazz")
    model.receive(levels([-6]), at: 1)
    #expect(abs(model.bars[0].shown - 0.9) < 0.001 && abs(model.bars[0].hold - 0.95) < 0.001)
    model.receive(levels([-60]), at: 1.05)
    #expect(abs(model.bars[0].shown - 0.9) < 0.001)
    model.receive(levels([-60]), at: 2.05)
    #expect(abs(model.bars[0].shown - (0.9 - 1.0 / 3)) < 0.001)
    #expect(abs(model.bars[0].hold - 0.95) < 0.001)
    model.receive(levels([-60]), at: 3)
    #expect(model.bars[0].hold < 0.9)
    model.receive(levels([-12]), at: 3.1)
    #expect(abs(model.bars[0].shown - 0.8) < 0.001)
  }

  @Test func `title and lag are those of what is heard`() {
    var model = model([-20])
    #expect(model.title == "Sinnerman" && model.lag == 10)
    model.advance(to: 11)
    #expect(model.lag == 11)
    let head = MeterPicture(width: 60, height: 5).lines(model)[0]
    #expect(head.hasPrefix("jazz  Sinnerman") && head.hasSuffix("-11s") && head.count == 60)
    #expect(
      MeterPicture.line(model)
        == "L -20.0 dB  M -22.8 LUFS  I -23.0 LUFS  Sinnerman"
        || MeterPicture.line(model).hasPrefix("-20.0 dB  M -22.8 LUFS"))
  }

  @Test func `senseless figures of a server do not break the meter`() {
    var model = MeterModel(station: "jazz")
    let numbers: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 5, -5]
    for number in numbers {
      model.receive(levels([number, number, number], media: number), at: 1)
      model.receive(
        levels([-3], ["momentary": .number(number), "nonsense": .string("\u{1B}c")]), at: 1)
      model.receive(
        [
          "kind": "spectrum",
          "bands": .array(Array(repeating: ["level": .number(number)], count: 10_000)),
        ], at: 1)
      model.receive(timeline: ["live": ["media": .number(number)], "titles": "none"], at: number)
      model.advance(to: number)
      for columns in [1, 40, 500] {
        for line in MeterPicture(width: columns, height: 30).lines(model) {
          #expect(width(line) <= columns)
        }
      }
      _ = MeterPicture.line(model)
    }
    model.receive("nothing", at: 2)
    model.receive(["kind": "levels"], at: 2)
  }

  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LANG": "C"], false), ([:], false),
    (["LC_ALL": "C", "LANG": "en_US.UTF-8"], false), (["LC_CTYPE": "C.utf8"], true),
  ])
  func `blocks are drawn where the locale has them`(environment: [String: String], has: Bool) {
    #expect(Screen.isUnicode(environment) == has)
  }
}
