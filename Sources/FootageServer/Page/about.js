// What is told of the recording that is shown, and whether it is protected.
import {aria, find, on, write} from './dom.js';
import {ask, details, encodeName} from './robot.js';
import {footage} from './footage.js';
import {player} from './player.js';
import {joined, locale, printable, say} from './words.js';

const placeWords = {store: 'inStore', both: 'inBoth'};

export const about = {
  row: null,
  /** The robot's own words about that recording; null until they are there. */
  item: null,

  start() { on('keep', 'click', () => this.keep()); },

  async show(row) {
    const box = find('about'), keep = find('keep');
    this.row = row;
    if (this.item?.name !== row?.name) {
      this.item = null;
      keep.hidden = true;
      write(box, '');
    }
    if (!row) return;
    let item;
    try { item = await details(row.name); } catch { return; }
    if (!item || this.row !== row) return;
    this.item = item;
    const {video, kept} = item;
    player.pictureRate = video?.frameRate;
    write(box, joined([printable(item.name), video && `${video.width}×${video.height}`, video?.frameRate && `${video.frameRate.toLocaleString(locale, {maximumFractionDigits: 2})} fps`,
      kept && say('kept'), placeWords[item.place] && say(placeWords[item.place]), item.recovered && say('isRecovered')]));
    keep.hidden = !footage.may.includes(kept ? 'release' : 'keep');
    aria(keep, 'pressed', Boolean(kept));
    keep.title = say(kept ? 'releaseHint' : 'keepHint');
  },

  /** Protects the recording from being deleted, or no longer. */
  async keep() {
    const {item, row} = this, button = find('keep');
    if (!item || button.ariaBusy === 'true') return;
    button.ariaBusy = 'true';
    const isKept = !item.kept;
    let trouble = '';
    try {
      await ask(`/recordings/${encodeName(item.name)}.keep`, {method: isKept ? 'PUT' : 'DELETE'});
    } catch (error) {
      trouble = error.message;
    }
    button.ariaBusy = 'false';
    write(find('trouble'), trouble);
    if (this.row === row) await this.show(row);
    if (!trouble) write(find('spoken'), say(isKept ? 'kept' : 'released'));
  },
};
