import Testing

@testable import Demo

struct ComposerTests {
  private static let rate = 11_025

  private func songs(seed: UInt64, count: Int) -> [Song] {
    var dice = Dice(seed: seed)
    var key = Key(tonic: 2, mode: .dorian)
    return (0..<count).map { _ in
      key = key.neighbour(&dice)
      return Composer.compose(in: key, sampleRate: Self.rate, &dice)
    }
  }

  @Test func `every note but the drums belongs to the key`() {
    for song in songs(seed: 1, count: 40) {
      for note in song.notes where note.part != .drums {
        #expect(song.key.contains(pitch: note.pitch), "\(note) in \(song.key)")
      }
    }
  }

  @Test func `a song takes 25 to 40 seconds and all its notes begin inside`() {
    for song in songs(seed: 2, count: 200) {
      #expect((25...40).contains(Double(song.length) / Double(Self.rate)), "\(song.style)")
      #expect(song.notes.allSatisfy { (0..<song.length).contains($0.start) && $0.length > 0 })
      #expect(song.notes.allSatisfy { $0.velocity > 0 && $0.velocity <= 1 })
    }
  }

  @Test func `the melody sings between a low and a high note, and breathes`() {
    for song in songs(seed: 3, count: 40) {
      let tune = song.notes.filter { $0.part == .lead }
      #expect(tune.count > 6)
      #expect(tune.allSatisfy { (60...90).contains($0.pitch) })
      let silence = zip(tune, tune.dropFirst()).map { $1.start - $0.start - $0.length }.max() ?? 0
      #expect(Double(silence) > 0.3 * Double(song.style.secondsPerEighth) * Double(Self.rate))
    }
  }

  @Test func `voices move little from chord to chord`() {
    let key = Key(tonic: 9, mode: .aeolian)
    var voices: [Int] = []
    for degree in [0, 5, 2, 6, 0, 3, 5, 6, 0] {
      let next = Chord(key: key, degree: degree, colour: .seventh).voicing(after: voices)
      #expect(Set(next).count == 4)
      #expect(next.allSatisfy { (52...76).contains($0) && key.contains(pitch: $0) })
      if !voices.isEmpty {
        #expect(zip(next, voices).reduce(0) { $0 + abs($1.0 - $1.1) } <= 16)
      }
      voices = next
    }
  }

  @Test func `songs are not all alike`() {
    let songs = songs(seed: 4, count: 30)
    #expect(Set(songs.map(\.name)).count > 25)
    #expect(Set(songs.map { $0.style.lead }).count == 3)
    #expect(Set(songs.map { $0.style.beat }).count == 4)
    #expect(Set(songs.map { $0.style.beatsPerBar }) == [3, 4])
    #expect(zip(songs, songs.dropFirst()).allSatisfy { $0.key.tonic != $1.key.tonic })
  }
}
