"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, props = {}) => Object.assign(document.createElement(tag), props);
  const svg = (tag, attributes, text = "") => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.textContent = text;
    return e;
  };
  const findings = all(".finding");

  // Filters.
  const query = document.getElementById("query");
  const rule = document.getElementById("rule");
  const filter = () => {
    const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = new Set(all("[name=severity]:checked").map((box) => box.value));
    let shown = 0;
    for (const f of findings) {
      const fits = severities.has(f.dataset.severity) && (!rule.value || rule.value === f.dataset.rule) && words.every((w) => f.dataset.text.includes(w));
      f.hidden = !fits;
      if (fits) shown++;
    }
    document.getElementById("shown").textContent = shown === findings.length ? `${shown} shown` : `${shown} of ${findings.length} shown`;
  };
  const tools = document.getElementById("tools");
  if (tools) {
    tools.hidden = false;
    tools.addEventListener("input", filter);
    tools.addEventListener("submit", (e) => e.preventDefault());
    document.getElementById("unfold").onclick = () => findings.forEach((f) => { f.open = true; });
    document.getElementById("fold").onclick = () => findings.forEach((f) => { f.open = false; });
    document.getElementById("scheme").onclick = () => {
      const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
      document.documentElement.dataset.scheme = dark ? "light" : "dark";
    };
    filter();
  }

  // Arrows: from the cell of one step to the cell of a later one, in the gutter
  // between their lanes. Where the lanes do not stand side by side, words stay.
  const draw = (story) => {
    story.querySelector(".arrows")?.remove();
    const deps = all(".dep", story);
    if (story.classList.contains("list") || deps.length === 0) return;
    story.classList.add("drawn");
    const sheet = svg("svg", { class: "arrows", "aria-hidden": "true" });
    const ground = story.getBoundingClientRect();
    if (ground.width === 0) return;
    const rows = all("tbody tr", story);
    const arrived = new Map(); // how many arrows end at a step
    deps.forEach((dep, i) => {
      const from = rows[dep.dataset.from - 1].querySelector(".act").getBoundingClientRect();
      const end = dep.closest(".act");
      const to = end.getBoundingClientRect();
      const nth = arrived.get(end) ?? 0;
      arrived.set(end, nth + 1);
      const right = from.left < to.left;
      const x1 = (right ? from.right : from.left) - ground.left + (right ? -44 : 44);
      const x2 = (right ? to.left : to.right) - ground.left + (right ? 46 : -46);
      const y1 = from.top - ground.top + 16;
      const y2 = to.top - ground.top + 16 + nth * 18;
      const bend = (x1 + x2) / 2 + (i % 3 - 1) * 12;
      sheet.append(svg("path", { d: `M${x1} ${y1} C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}` }));
      const tip = right ? -7 : 7;
      sheet.append(svg("path", { class: "tip", d: `M${x2} ${y2} l${tip} -4 v8 z` }));
      sheet.append(svg("text", { x: x2 + (right ? -26 : 12), y: y2 - 4 }, dep.dataset.kind));
    });
    story.append(sheet);
  };
  const stories = all(".story");
  // In the next frame, since drawing changes the size that is observed.
  const redraw = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach((e) => draw(e.target))));
  stories.forEach((story) => redraw.observe(story));

  // The walk through the steps: 0 shows all of them.
  const walks = new Map();
  for (const story of stories) {
    const rows = all("tbody tr", story);
    if (rows.length < 2) continue;
    let at = 0;
    const bar = make("div", { className: "walk" });
    const back = make("button", { type: "button", textContent: "◀ back" });
    const next = make("button", { type: "button", textContent: "next step ▶" });
    const whole = make("button", { type: "button", textContent: "whole story" });
    const state = make("span", { className: "muted" });
    state.setAttribute("aria-live", "polite");
    bar.append(back, next, whole, state);
    story.before(bar);
    const go = (n) => {
      at = Math.min(Math.max(n, 0), rows.length);
      rows.forEach((row, i) => {
        row.classList.toggle("now", i === at - 1);
        row.classList.toggle("later", at > 0 && i >= at);
      });
      back.disabled = whole.disabled = at === 0;
      next.disabled = at === rows.length;
      state.textContent = at === 0 ? `${rows.length} steps` : `step ${at} of ${rows.length}`;
      if (at > 0) rows[at - 1].scrollIntoView({ block: "nearest" });
    };
    back.onclick = () => go(at - 1);
    next.onclick = () => go(at + 1);
    whole.onclick = () => go(0);
    story.addEventListener("keydown", (e) => {
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 1, End: rows.length, Escape: 0 }[e.key];
      if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
      e.preventDefault();
      go(to);
    });
    go(0);
    walks.set(story.closest(".finding").id, go);
  }

  // Addresses: #f2 opens a finding, #f2s5 at a step.
  const open = () => {
    const [, id, step] = location.hash.match(/^#(f\d+)(?:s(\d+))?$/) || [];
    const finding = id && document.getElementById(id);
    if (!finding) return;
    finding.open = true;
    finding.scrollIntoView();
    if (step) walks.get(id)?.(Number(step));
  };
  addEventListener("hashchange", open);
  open();

  // Drawings in words need their columns.
  for (const why of all(".why")) if (/[│┃]|\n {2,}\S/.test(why.textContent)) why.classList.add("drawing");

  // Copies.
  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = make("textarea", { value: text });
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };
  for (const pre of all("pre.copy")) {
    const text = pre.textContent;
    const button = make("button", { type: "button", textContent: "copy" });
    button.onclick = async () => {
      await copy(text);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    };
    pre.append(button);
  }

  // On paper all findings are unfolded.
  addEventListener("beforeprint", () => findings.forEach((f) => { f.open = true; }));
})();
