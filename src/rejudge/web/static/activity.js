// How long somebody was active at each task, and how often they looked elsewhere.
const IDLE = 30; // seconds: a pause counts no more
const began = performance.now();
const spent = {}, blurs = {}, shownAfter = {};
let last = began, pool = 0, pooledBlurs = 0;

function tick() {
  const moment = performance.now();
  pool += Math.min((moment - last) / 1000, IDLE);
  last = moment;
}

export const noteActivity = tick; // for what happens in a frame

const tenths = (seconds) => Math.round(seconds * 10) / 10;

export const resume = () => { last = performance.now(); }; // what has passed was no work
export const show = (task) => { shownAfter[task] ??= (performance.now() - began) / 1000; };
export const showFirst = (task) => { shownAfter[task] = 0; }; // it came with the page

export function credit(task) { // what was spent since the last time goes to this task
  tick();
  spent[task] = (spent[task] ?? 0) + pool;
  blurs[task] = (blurs[task] ?? 0) + pooledBlurs;
  pool = pooledBlurs = 0;
}

export const activityAt = (task) => ({
  shown: tenths(shownAfter[task] ?? 0), active: tenths(spent[task] ?? 0), blurs: blurs[task] ?? 0,
});

export function watchActivity() {
  for (const kind of ["pointerdown", "pointermove", "keydown", "scroll", "touchmove"])
    window.addEventListener(kind, tick, { passive: true });
  window.addEventListener("blur", () => {
    tick();
    if (document.activeElement?.tagName !== "IFRAME") pooledBlurs += 1; // a frame is no other place
  });
  document.addEventListener("visibilitychange", () => { if (document.hidden) tick(); else resume(); });
}
