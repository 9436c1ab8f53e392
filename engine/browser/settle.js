// Resolves to true once the document is loaded, its DOM has been still for `quiet` ms and no finite animation runs; false at `bound` ms.
([quiet, bound]) => new Promise((resolve) => {
  const start = performance.now();
  let last = start - quiet / 2;
  const watcher = new MutationObserver(() => { last = performance.now(); });
  watcher.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const moving = () => document.getAnimations().some((animation) => {
    const timing = animation.effect?.getComputedTiming();
    return animation.playState === 'running' && timing && timing.endTime < 3000;
  });
  const look = () => {
    const now = performance.now();
    const still = document.readyState === 'complete' && now - last >= quiet && !moving();
    if (!still && now - start < bound) { setTimeout(look, 15); return; }
    watcher.disconnect();
    resolve(still);
  };
  look();
})
