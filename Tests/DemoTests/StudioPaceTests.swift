import Testing

@testable import Demo

struct StudioPaceTests {
  @Test func `deadlines are whole slices from the beginning, however late each slice is made`() {
    var pace = StudioPace(begin: 1000)
    for slice in 1...10_000 {
      #expect(pace.due == 1000 + Int64(slice) * StudioPace.slice)
      #expect(pace.advance(at: pace.due + Int64(slice % 7) * 30_000_000) == nil)
    }
  }

  @Test func `a clock that goes back, as of a machine that is restored, holds nothing up`() {
    var pace = StudioPace(begin: 3_600_000_000_000)
    for now in [Int64(0), 3_600_000_000_000, 5_000_000_000] {
      #expect(pace.wait(at: now) <= StudioPace.slice)
      _ = pace.advance(at: now)
      #expect(pace.due == now + StudioPace.slice)
    }
  }

  @Test func `what is late by less than five seconds is caught up`() {
    var pace = StudioPace(begin: 0)
    let late = pace.due + StudioPace.latenessMax
    #expect(pace.advance(at: late) == nil)
    #expect(pace.due < late)
  }

  @Test func `a machine that slept goes on from where it wakes and tells what is missing`() {
    var pace = StudioPace(begin: 0)
    let woken = pace.due + 3_600_000_000_000
    #expect(pace.advance(at: woken) == 3600)
    #expect(pace.due == woken + StudioPace.slice)
    #expect(pace.advance(at: pace.due) == nil)
  }
}
