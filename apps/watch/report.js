"use strict";
// Filters of events, and their counts by hour. Without scripts the page has all the rest.
(() => {
  const find = (selector) => document.querySelector(selector);
  const events = JSON.parse(find("#events").textContent);
  const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const unique = (list) => [...new Set(list)];
  const zonesOf = (event) => unique([...event.objects.flatMap((one) => one.zones ?? []), ...(event.visits ?? []).map((one) => one.zone)]);
  const wayOf = (crossing) => `${crossing.line}: ${crossing.to}`;
  const ways = unique(events.flatMap((event) => event.crossings.map(wayOf))).sort();
  const filters = find(".filters");

  function fill(name, texts) {
    const select = filters.elements[name];
    select.append(...texts.map((text) => new Option(text, text)));
    select.parentElement.hidden = texts.length === 0;
  }

  function holds(event) {
    const { zone, way, object } = filters.elements;
    return (!zone.value || zonesOf(event).includes(zone.value))
      && (!way.value || event.crossings.some((one) => wayOf(one) === way.value))
      && (!object.value || event.objects.some((one) => one.id === Number(object.value)));
  }

  // Hours of the clock on the wall, as numbers that count on.
  const hourOf = (clock) => Date.parse(`${clock.slice(0, 13)}:00:00Z`) / 3600e3;
  const nameOf = (hour) => new Date(hour * 3600e3).toISOString().slice(0, 16).replace("T", " ");

  function hoursOf(place) {
    const most = 24 * 62;  // of a longer time, hours without anything are left out
    const seen = unique([place.dataset.begin, place.dataset.end,
      ...events.flatMap((event) => [event.start_clock, ...event.crossings.map((one) => one.clock)])].map(hourOf)).sort((a, b) => a - b);
    const count = seen.at(-1) - seen[0] + 1;
    return count > most ? seen : Array.from({ length: count }, (_, index) => seen[0] + index);
  }

  function chart(title, what, hours, clocks) {
    const counts = new Map(hours.map((hour) => [hour, 0]));
    for (const clock of clocks) counts.set(hourOf(clock), counts.get(hourOf(clock)) + 1);
    const most = Math.max(...counts.values(), 1), isNarrow = hours.length > 48;
    const heading = document.createElement("h3"), bars = document.createElement("div"), ends = document.createElement("div");
    heading.textContent = `${title}: ${clocks.length}`;
    bars.className = `bars${isNarrow ? " narrow" : ""}`;
    bars.setAttribute("role", "img");
    bars.setAttribute("aria-label", `${title} by hour: ${hours.filter((hour) => counts.get(hour)).map((hour) => `${nameOf(hour)} ${counts.get(hour)}`).join(", ") || "none"}`);
    bars.append(...hours.map((hour) => {
      const column = document.createElement("div"), bar = document.createElement("i"), count = counts.get(hour);
      column.title = `${nameOf(hour)}: ${plural(count, what)}`;
      if (!count) return column;
      bar.style.height = `${75 * count / most}%`;
      if (!isNarrow) column.append(Object.assign(document.createElement("b"), { textContent: count }));
      column.append(bar);
      return column;
    }));
    ends.className = "ends";
    ends.append(...unique([hours[0], hours.at(-1)]).map((hour) =>
      Object.assign(document.createElement("span"), { textContent: nameOf(hour) })));
    return [heading, bars, ends];
  }

  function showHours(shown) {
    const place = find(".hours");
    if (!place) return;
    const hours = hoursOf(place), crossings = shown.flatMap((event) => event.crossings);
    place.replaceChildren(...chart("Events", "event", hours, shown.map((event) => event.start_clock)),
      ...ways.flatMap((way) => chart(way, "crossing", hours, crossings.filter((one) => wayOf(one) === way).map((one) => one.clock))));
    place.parentElement.hidden = false;
  }

  function show() {
    const shown = events.filter(holds), ids = new Set(shown.map((event) => event.id));
    for (const event of events) {
      find(`#event-${event.id}`).hidden = !ids.has(event.id);
      find(`.timeline a[href="#event-${event.id}"]`).style.display = ids.has(event.id) ? "" : "none";
    }
    filters.elements.count.textContent = shown.length === events.length ? plural(events.length, "event") : `${shown.length} of ${plural(events.length, "event")}`;
    showHours(shown);
  }

  fill("zone", unique(events.flatMap(zonesOf)).sort());
  fill("way", ways);
  filters.addEventListener("input", show);
  filters.addEventListener("reset", () => setTimeout(show));
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.hidden = events.length === 0;
  show();
})();
