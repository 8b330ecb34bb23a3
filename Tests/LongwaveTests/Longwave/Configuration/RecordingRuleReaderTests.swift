import Testing
import Wire

@testable import Longwave
@testable import Settings

@Suite struct RecordingRuleReaderTests {
  typealias Mistake = ConfigurationMistakeTests.Mistake

  @Test(arguments: ["mon", "Mon", "monday", "MONDAY"])
  func `a day has a short name and a long one`(name: String) throws {
    func days(_ text: String) throws -> Set<Weekday>? {
      try Configuration.parse(
        yaml:
          "stations: [{id: a, upstream: \"http://a/\", shows: [{name: x, days: \(text), from: \"1:00\", to: \"2:00\"}]}]",
        file: "c.yml"
      ).stations.first?.shows.first?.times.days
    }
    #expect(try days(name) == [.mon])
    #expect(try days("[\(name), sunday]") == [.mon, .sun])
    #expect(try days("\(name)-Wednesday") == [.mon, .tue, .wed])
  }

  static let mistakes: [Mistake] = [
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    record:\n      - weekdays 18:00\n      - mon-fry 18:00-19:00\n",
      "c.yml:5: stations[0].record[0]: \"weekdays 18:00\" is no entry of a schedule; "
        + "write days and times, such as weekdays 18:00-19:30",
      "c.yml:6: stations[0].record[1]: \"mon-fry\" is no day; "
        + "write mon to sun, mon-fri, daily, weekdays or weekends"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    record: {days: [], from: 18, overlap: 2s, kepe: 1d}\n",
      "c.yml:4: stations[0].record[0].days: has none; write some, or leave it out for daily",
      "c.yml:4: stations[0].record[0].from: \"18\" is not a time of day, such as 18:00",
      "c.yml:4: stations[0].record[0].kepe: unknown key; did you mean keep?",
      "c.yml:4: stations[0].record[0].overlap: is for files split by title; write split: true too",
      "c.yml:4: stations[0].record[0].to: is missing; write a time of day, such as 18:00"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    record:\n      - days: weekday\n        from: 1:00\n        to: 2:00\n        keep: 5s\n        max-size: 5kB\n",
      "c.yml:5: stations[0].record[0].days: \"weekday\" is no day; did you mean weekdays?",
      "c.yml:8: stations[0].record[0].keep: 5s is out of range; write 1m to 3652d12h",
      "c.yml:9: stations[0].record[0].max-size: 5kB is out of range; write 100kB to 1000TB"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    record:\n      - from: 1:00\n        to: 2:00\n        name: '{artst}'\n",
      "c.yml:7: stations[0].record[0].name: has {artst}, which is unknown; did you mean {artist}? "
        + "There are {station}, {show}, {artist}, {title} and {number}"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    shows:\n      - {name: News, from: 18:00, to: 18:10}\n"
        + "      - {name: News, from: 19:00, to: 19:10, record: maybe}\n"
        + "      - {nme: Late, from: 22:00, to: 1, picture: cover.png, record: {kep: 1d, from: 18:00, append: true}}\n",
      "c.yml:6: stations[0].shows[1].name: is the name of an earlier show, too; write another name",
      "c.yml:6: stations[0].shows[1].record: \"maybe\" is neither true nor false; write one of them",
      "c.yml:7: stations[0].shows[2].name: is missing; write what people call the show",
      "c.yml:7: stations[0].shows[2].nme: unknown key; did you mean name?",
      "c.yml:7: stations[0].shows[2].picture: \"cover.png\" is not a URL that begins with http:// or https://; "
        + "did you mean http://cover.png?",
      "c.yml:7: stations[0].shows[2].record.append: is not for shows: each airing has files of its own",
      "c.yml:7: stations[0].shows[2].record.from: is a key of the show; write it beside record:",
      "c.yml:7: stations[0].shows[2].record.kep: unknown key; did you mean keep?",
      "c.yml:7: stations[0].shows[2].to: \"1\" is not a time of day, such as 18:00"),
    Mistake(
      "stations:\n  - id: a\n    upstream: http://a/\n    record: false\n"
        + "    shows: [{name: N, from: 1:00, to: 2:00, record: true}]\n",
      "c.yml:5: stations[0].shows: has a show with record:, beside record: false; leave one of them out"
    ),
    Mistake(
      "server:\n  time-zone: Berlin\n",
      "c.yml:2: server.time-zone: \"Berlin\" is not a time zone, such as Europe/Berlin or +02:00"),
  ]

  @Test(arguments: mistakes)
  func `a mistake in a schedule is told with what would be right`(mistake: Mistake) {
    do throws(ConfigurationError) {
      _ = try Configuration.parse(yaml: mistake.yaml, file: "c.yml")
      Issue.record("a mistake was taken")
    } catch {
      #expect(error.problems.map(\.description) == mistake.lines)
    }
  }
}
