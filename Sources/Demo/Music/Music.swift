import Wire

/// The demo station's music: an endless programme of songs that this program writes and plays by itself.
///
/// Everything follows from the seed; no state lies outside. Playing in real time costs about 1 % of a core.
public struct Music: Sendable {
  /// The sample rate in Hz.
  public let sampleRate: Int

  private var dice: Dice
  private var sounding: Track
  private var leaving: Track?
  private var room: Reverb
  private var master: Master
  private var mix = Stereo()
  private var roomSend = Stereo()
  /// Rendered samples that were not asked for yet: the rest of one stretch.
  ///
  /// Only the music cuts stretches, so the sound does not depend on how many samples are asked for at a time.
  private var ready: [Int16] = []

  /// Begins with the first sample of the first song.
  ///
  /// - Parameters:
  ///   - seed: each seed makes another programme.
  ///   - sampleRate: Hz, 8000 or more.
  public init(seed: UInt64, sampleRate: Int) {
    precondition(sampleRate >= 8000, "the instruments have partials up to 4 kHz")
    self.sampleRate = sampleRate
    var dice = Dice(seed: seed)
    let key = Key(tonic: dice.between(0, 11), mode: dice.pick(Key.Mode.allCases))
    let song = Composer.compose(in: key, sampleRate: sampleRate, &dice)
    sounding = Track(song: song, sampleRate: sampleRate, seed: dice.next())
    self.dice = dice
    room = Reverb(sampleRate: sampleRate)
    master = Master(sampleRate: sampleRate)
  }

  /// The title of the sounding track; of the newer one while two tracks overlap.
  public var title: Title { Title(text: sounding.song.name) }

  /// How many samples (per channel) can be rendered before the next track begins; 1 or more.
  public var framesUntilNextTrack: Int {
    sounding.song.length - sounding.position + ready.count / 2
  }

  /// Plays the next samples.
  ///
  /// - Parameter frames: samples per channel.
  /// - Returns: `2 * frames` samples, interleaved, left first; none above -3 dBFS.
  public mutating func render(frames: Int) -> [Int16] {
    var samples: [Int16] = []
    samples.reserveCapacity(2 * frames)
    while samples.count < 2 * frames {
      if ready.isEmpty { renderStretch() }
      let taken = ready.prefix(2 * frames - samples.count)
      samples += taken
      ready.removeFirst(taken.count)
    }
    // The samples returned last may end a song; the title is then already that of the next one.
    if ready.isEmpty, sounding.isOver { turnOver() }
    return samples
  }

  private mutating func renderStretch() {
    if sounding.isOver { turnOver() }
    let frames = sounding.stretch(limit: Stereo.capacity)
    mix.clear()
    roomSend.clear()
    sounding.render(into: &mix, room: &roomSend, frames: frames)
    if leaving?.isSilent == true { leaving = nil }
    leaving?.render(into: &mix, room: &roomSend, frames: frames)
    room.render(roomSend, into: &mix, frames: frames)
    master.write(mix, frames: frames, to: &ready)
  }

  private mutating func turnOver() {
    let key = sounding.song.key.neighbour(&dice)
    var song = Composer.compose(in: key, sampleRate: sampleRate, &dice)
    // Two songs in a row never share a title, or the change would go unseen.
    while song.name == sounding.song.name { song.name = SongName.invent(&dice) }
    leaving = sounding
    sounding = Track(song: song, sampleRate: sampleRate, seed: dice.next())
  }
}
