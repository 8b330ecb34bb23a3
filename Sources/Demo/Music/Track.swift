/// A song being played: its instruments, its faders and its echo.
struct Track: Sendable {
  let song: Song
  /// The samples played.
  private(set) var position = 0

  private var next = 0
  private var pad: Pad
  private var strings: Strings
  private var bell: Bell
  private var reed: Reed
  private var bass: Bass
  private var drums: Drums
  private var echo: Echo
  private let fadeIn: Int
  private let tail: Int

  // Buffers that every stretch is mixed in; kept, so that playing allocates nothing.
  private var part = Stereo()
  private var dry = Stereo()
  private var echoSend = Stereo()
  private var roomSend = Stereo()

  init(song: Song, sampleRate: Int, seed: UInt64) {
    let tuning = Tuning(sampleRate: sampleRate)
    let style = song.style
    self.song = song
    pad = Pad(tuning, cutoff: style.padCutoff, edge: style.padEdge)
    strings = Strings(tuning, brightness: style.lead == .strings ? 0.85 : 0.6, seed: seed)
    bell = Bell(tuning, ratio: seed % 2 == 0 ? 1 : 3.5)
    reed = Reed(tuning, seed: seed &+ 1)
    bass = Bass(tuning)
    drums = Drums(tuning, seed: seed &+ 2)
    // The echo repeats after a dotted quarter.
    echo = Echo(delay: tuning.samples(3 * style.secondsPerEighth))
    fadeIn = tuning.samples(1.2)
    tail = tuning.samples(4.5)
  }

  /// Whether the next song should have begun.
  var isOver: Bool { position >= song.length }

  /// Whether the track has faded away.
  var isSilent: Bool { position >= song.length + tail }

  /// How many samples may be rendered before a note begins or the song is over, at most `limit`.
  func stretch(limit: Int) -> Int {
    var end = position + limit
    if position < song.length { end = min(end, song.length) }
    if next < song.notes.count { end = min(end, song.notes[next].start) }
    return max(1, end - position)
  }

  /// Plays the next samples: adds the direct sound to `output`, and what the room hears to `room`.
  mutating func render(into output: inout Stereo, room: inout Stereo, frames: Int) {
    while next < song.notes.count, song.notes[next].start <= position {
      play(song.notes[next])
      next += 1
    }
    dry.clear()
    echoSend.clear()
    roomSend.clear()
    for part in Song.Part.allCases { mix(part, frames: frames) }
    echo.render(echoSend, into: &dry, frames: frames)
    roomSend.add(dry, gain: 0.12, frames: frames)
    let from = gain(at: position)
    position += frames
    let to = gain(at: position)
    output.add(dry, from: from, to: to, frames: frames)
    room.add(roomSend, from: from, to: to, frames: frames)
  }

  private mutating func mix(_ part: Song.Part, frames: Int) {
    self.part.clear()
    let fader = fader(of: part)
    render(part, frames: frames)
    dry.add(self.part, gain: fader.dry, frames: frames)
    if fader.echo > 0 { echoSend.add(self.part, gain: fader.echo, frames: frames) }
    if fader.room > 0 { roomSend.add(self.part, gain: fader.room, frames: frames) }
  }

  private func fader(of part: Song.Part) -> (dry: Float, echo: Float, room: Float) {
    switch part {
    case .pad: (0.125, 0, 0.04)
    case .lead: (song.style.lead == .strings ? 0.34 : 0.16, 0.06, 0.07)
    case .arpeggio: (song.style.lead == .strings ? 0.08 : 0.24, 0.05, 0.05)
    case .bass: (0.12, 0, 0)
    case .drums: (0.24, 0, 0.02)
    }
  }

  private mutating func render(_ part: Song.Part, frames: Int) {
    switch part {
    case .pad: pad.render(into: &self.part, frames: frames)
    case .lead:
      switch song.style.lead {
      case .strings: strings.render(into: &self.part, frames: frames)
      case .bell: bell.render(into: &self.part, frames: frames)
      case .reed: reed.render(into: &self.part, frames: frames)
      }
    case .arpeggio:
      // Where strings lead, the bell accompanies; elsewhere the strings accompany.
      switch song.style.lead {
      case .strings: bell.render(into: &self.part, frames: frames)
      case .bell, .reed: strings.render(into: &self.part, frames: frames)
      }
    case .bass: bass.render(into: &self.part, frames: frames)
    case .drums: drums.render(into: &self.part, frames: frames)
    }
  }

  private mutating func play(_ note: Song.Note) {
    let (pitch, velocity, length) = (note.pitch, note.velocity, note.length)
    switch (note.part, song.style.lead) {
    case (.pad, _): pad.play(pitch: pitch, velocity: velocity, length: length)
    case (.bass, _): bass.play(pitch: pitch, velocity: velocity, length: length)
    case (.drums, _):
      if let drum = Drums.Drum(rawValue: pitch) { drums.play(drum, velocity: velocity) }
    case (.lead, .reed): reed.play(pitch: pitch, velocity: velocity, length: length)
    case (.lead, .strings), (.arpeggio, .bell), (.arpeggio, .reed):
      strings.play(pitch: pitch, velocity: velocity)
    case (.lead, .bell), (.arpeggio, .strings): bell.play(pitch: pitch, velocity: velocity)
    }
  }

  /// The fade at a position: in at the beginning, out under the next song. Its power is equal, so that the sum stays
  /// even.
  private func gain(at position: Int) -> Float {
    if position < fadeIn { return Waves.sine(0.25 * Float(position) / Float(fadeIn)) }
    if position <= song.length { return 1 }
    return Waves.sine(0.25 * Float(max(0, song.length + tail - position)) / Float(tail))
  }
}
