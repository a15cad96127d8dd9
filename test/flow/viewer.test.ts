import assert from 'node:assert/strict';
import { setImmediate as immediately } from 'node:timers/promises';
import { Viewer } from '../../src/flow/activity/viewer';
import { timing } from '../../src/timing';

/** Returns a server. */
function server(id: string, view: object) {
  return { node: { id }, view };
}

describe('A viewer of the tab in the sidebar', () => {
  let viewer: Viewer;
  let lines: unknown[];
  /** Lets the browser take the line that was written last. */
  let take: () => void;
  let end: AbortController;
  let running: Promise<unknown>;

  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await immediately();
  };

  beforeEach(() => {
    lines = [];
    end = new AbortController();
    viewer = new Viewer((line) => {
      lines.push('server' in line ? line.server : 'servers' in line ? line.servers : line);
      return new Promise((resolve) => {
        take = resolve;
      });
    });
    running = viewer.run(end.signal).then(
      () => 'done',
      (error: unknown) => error,
    );
  });
  afterEach(async () => {
    end.abort(new Error('left'));
    await running;
  });

  it('gets nothing more until it has taken the last line, and then only the newest view', async () => {
    const [one, other] = [server('one', { at: 0 }), server('other', { at: 0 })];
    viewer.tellList([one, other]);
    await settle();
    for (let view = 1; view <= 100; view++) {
      one.view = { at: view };
      viewer.tell(one);
    }
    other.view = { at: 7 };
    viewer.tell(other);
    await settle();
    assert.deepEqual(lines, [['one', 'other']]);
    for (let line = 0; line < 5; line++) {
      take();
      await settle();
    }
    assert.deepEqual(lines, [['one', 'other'], { at: 100 }, { at: 7 }]);
  });

  it('gets no view of a server that is no longer deployed', async () => {
    const [one, other] = [server('one', { at: 0 }), server('other', { at: 0 })];
    viewer.tellList([one, other]);
    await settle();
    viewer.tell(one);
    viewer.tell(other);
    viewer.tellList([other]);
    for (let line = 0; line < 5; line++) {
      take();
      await settle();
    }
    assert.deepEqual(lines, [['one', 'other'], ['other'], { at: 0 }]);
  });

  it('ends after a while, although it takes nothing', async () => {
    end.abort(new Error('left'));
    await running;
    const { longest } = timing.activity;
    timing.activity.longest = 20;
    const ending = viewer.run(new AbortController().signal);
    timing.activity.longest = longest;
    viewer.tellList([]);
    await ending;
    assert.deepEqual(lines, [[]]);
  });

  it('ends after a megabyte, which the browser keeps', async () => {
    const one = server('one', { text: 'x'.repeat(300_000) });
    for (let line = 1; line <= 4; line++) {
      viewer.tell(one);
      await settle();
      take();
    }
    assert.equal(await running, 'done');
    assert.equal(lines.length, 4);
  });

  it('ends with the reason why its browser has gone', async () => {
    const left = new Error('left');
    end.abort(left);
    assert.equal(await running, left);
  });
});
