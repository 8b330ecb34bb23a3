import Testing
import Timeshift

@testable import Server

/// Who hears which minute of the past, counted loop by loop.
@Suite struct ReplaySampleTests {
  private static func minute(_ people: UInt32...) -> ReplaySample.Minute {
    var minute = ReplaySample.Minute()
    for person in people { minute.count(person) }
    return minute
  }

  @Test func `three different people are enough, however often two of them come`() {
    var people = FewPeople()
    for person: UInt32 in [7, 9, 7, 9, 9, 7, 0] { people.note(person) }
    #expect(!people.areEnough)
    people.note(8)
    #expect(people.areEnough)
    let before = people
    people.note(5)
    #expect(people == before)
  }

  @Test func `samples of several loops add up, and no listener counts as two people`() {
    var sum = ReplaySample()
    for part in [Self.minute(1, 3), Self.minute(3, 3), Self.minute()] {
      var loop = ReplaySample()
      loop.add([5: part], of: "jazz")
      sum.add(loop)
    }
    #expect(sum.stations["jazz"]?[5]?.listeners == 4)
    #expect(sum.stations["jazz"]?[5]?.people.areEnough == false)
    sum.add([5: Self.minute(11), 6: Self.minute(1)], of: "jazz")
    sum.add([5: Self.minute(1)], of: "rock")
    #expect(sum.stations["jazz"]?[5]?.people.areEnough == true)
    #expect(sum.stations["jazz"]?[6]?.listeners == 1 && sum.stations["rock"]?[5]?.listeners == 1)
  }

  @Test func `the people of a minute are forgotten once there are three`() {
    let three = [[UInt32](1...3), [7, 8, 9]].map { numbers in
      var people = FewPeople()
      for number in numbers { people.note(number) }
      return people
    }
    #expect(three[0] == three[1] && three[0].areEnough)
  }

  @Test func `a moment belongs to the minute that it lies in`() {
    let second = MediaTime.flicksPerSecond
    #expect(ReplaySample.minute(of: .zero) == 0)
    #expect(ReplaySample.minute(of: MediaTime(flicks: 60 * second)) == 1)
    #expect(ReplaySample.minute(of: MediaTime(flicks: 60 * second - 1)) == 0)
    #expect(ReplaySample.minute(of: MediaTime(flicks: -second)) == -1)
  }

  @Test func `counts that cannot be end nothing`() {
    var minute = ReplaySample.Minute(listeners: .max)
    minute.count(1)
    minute.add(ReplaySample.Minute(listeners: .max))
    #expect(minute.listeners == .max)
  }
}
