"use strict";
/*
 * The live page. It follows v1/events and draws who leads what.
 *
 * - Everything from the store is untrusted text. It enters the document as text nodes only. What is invisible in it, or
 *   would reorder its neighbours, is written out: see show.
 * - What is not confirmed is never drawn as current. When the store or this page's server is away, ages stand still and
 *   the page says since when: see trust.
 * - A change draws its own row, in the next frame, and no frame draws for long: see later. Ages tick only in sight.
 */
(() => {
const TAKE_OVERS_MAX = 100, TAKE_OVERS_FIRST = 12, LANES_MAX = 8, LANE_EVENTS = 6, LANES_NARROW = 60;
const FEW = 24, WAITING_MAX = 12, PIPS_MAX = 40, OPEN_INSTANCES_MAX = 6, TEXT_FIRST = 80, TEXT_MAX = 4000, HUES = 10;
/** Milliseconds. The server says something every 5 s at least. */
const SILENCE_MAX = 11_000, RETRY_FIRST = 500, RETRY_MAX = 15_000, FRAME_BUDGET = 8, SUMS_EVERY = 150, SAY_EVERY = 5_000;
/** How long a change is highlighted, and how many at once. */
const FRESH = 8_000, FRESH_MAX = 40;
/** How long an election without a leader stays on the page: longer than any take-over, and used-up names still go. */
const VACANT_KEPT = 600_000;
const MINUTE = 60_000, HOUR = 60 * MINUTE, DAY = 24 * HOUR;
/** How much the time line may show, in minutes, and in how many parts its axis shows that. */
const WINDOWS = [[1, 4], [2, 4], [5, 5], [10, 5], [15, 3], [30, 3], [60, 4], [120, 4], [180, 3], [360, 3], [720, 4], [1440, 4], [2880, 4],
    [4320, 3], [10_080, 7], [20_160, 7], [43_200, 6]];

const $ = id => document.getElementById(id);
const byName = new Intl.Collator("en", { numeric: true });
const compare = (a, b) => byName.compare(a, b) || (a < b ? -1 : a > b ? 1 : 0);
const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const minute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const dayTime = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

// ---- Text ------------------------------------------------------------------------------------

/**
 * Controls, formats (bidi, joiners), lone surrogates, separators, what is ignored when drawn, and blanks that are not plain,
 * or come first or last.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}|(?<=^ *) | (?= *$)/gu;

/** As Leader.printable writes it. */
function written(character) {
    const code = character.codePointAt(0), hex = code.toString(16);
    return code > 0xffff ? "\\U" + hex.padStart(8, "0") : "\\u" + hex.padStart(4, "0");
}

const printable = text => text.replace(INVISIBLE, written);

function element(tag, className, ...content) {
    const node = document.createElement(tag);
    if (className) node.className = className;
    node.append(...content);
    return node;
}

function set(node, text) {
    if (node.textContent !== text) node.textContent = text;
}

/** Text with what is invisible in it written out, and marked as that. */
function pieces(text) {
    const found = [];
    let from = 0;
    for (const match of text.matchAll(INVISIBLE)) {
        found.push(text.slice(from, match.index), element("span", "written", written(match[0])));
        from = match.index + match[0].length;
    }
    found.push(text.slice(from));
    return found;
}

/**
 * Draws untrusted text: isolated, so that right-to-left text reorders nothing around it. A long one is cut, with a button
 * for more.
 */
function show(node, text, otherwise = "") {
    if (node.shown === text) return;
    node.shown = text;
    node.classList.toggle("none", text === "");
    if (text.length <= TEXT_FIRST) {
        node.replaceChildren(element("bdi", "", ...pieces(text === "" ? otherwise : text)));
        return;
    }
    const whole = element("bdi", ""), more = element("button", "more");
    const draw = open => {
        const cut = beginning(text, open ? TEXT_MAX : TEXT_FIRST);
        whole.replaceChildren(...pieces(cut), cut.length < text.length ? "…" : "");
        set(more, open ? "less" : "more");
        more.setAttribute("aria-expanded", String(open));
    };
    more.type = "button";
    more.addEventListener("click", () => draw(more.getAttribute("aria-expanded") !== "true"));
    draw(false);
    node.replaceChildren(whole, " ", more);
}

function age(millis) {
    const s = Math.max(0, Math.floor(millis / 1000)), m = Math.floor(s / 60), h = Math.floor(m / 60), d = Math.floor(h / 24);
    return s < 60 ? `${s} s` : m < 60 ? `${m} min ${s % 60} s` : h < 24 ? `${h} h ${m % 60} min` : `${d} d ${h % 24} h`;
}

function gap(millis) {
    return millis < 1000 ? `${Math.round(millis)} ms`
        : millis < 60_000 ? `${(millis / 1000).toFixed(millis < 10_000 ? 2 : 1)} s` : age(millis);
}

function time(at) {
    return (now() - at < DAY / 2 ? clockTime : dayTime).format(at);
}

const plural = (n, one, many) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

const hues = new Map();

/** The same colour for a candidate everywhere on the page. It repeats what the name says. */
function hue(candidate) {
    if (!hues.has(candidate)) {
        if (hues.size > 10_000) hues.clear();
        hues.set(candidate, hues.size % HUES);
    }
    return "hue" + hues.get(candidate);
}

// ---- What is known ---------------------------------------------------------------------------

const known = { store: "", elections: new Map(), queues: new Map(), services: new Map(), takeOvers: [] };

/** The server's clock, carried on by a clock of this machine that nobody sets. */
const clock = { time: Date.now(), at: performance.now() };
const now = () => clock.time + performance.now() - clock.at;

/**
 * Whether what is known is current: only while connected to a server that says that its store answers. knownAt is until
 * when it was: of a silent server, when it last said something; of a silent store, when it last answered.
 */
const trust = { isListed: false, isConnected: false, isStale: false, knownAt: 0, confirmedAt: 0 };
const isCurrent = () => trust.isListed && trust.isConnected && !trust.isStale;
/** The time for which everything on the page is true. */
const asOf = () => (isCurrent() ? now() : trust.knownAt);

const hasLeader = election => election !== undefined && election.candidate !== undefined && election.state !== "vacant";

function health(message) {
    if (typeof message.now === "number") {
        clock.time = message.now;
        clock.at = performance.now();
    }
    trust.isStale = message.stale === true;
    trust.confirmedAt = now() - (message.ageMillis ?? 0);
    trust.knownAt = trust.isStale ? trust.confirmedAt : now();
    // An empty list of a store that did not answer yet says nothing.
    trust.isListed ||= !trust.isStale || known.elections.size > 0;
    trustChanged();
}

/** An election that is not listed any more has no leader, which is worth seeing for a while. */
function vacate(name) {
    const before = known.elections.get(name);
    if (before === undefined || hasLeader(before)) {
        known.elections.set(name, { election: name, state: "vacant", vacantAt: asOf() || now() });
        electionRows.touch(name);
    }
}

function putElection(election) {
    const before = known.elections.get(election.election);
    if (!hasLeader(election)) {
        election.vacantAt = before?.vacantAt ?? now();
    }
    known.elections.set(election.election, election);
    electionRows.touch(election.election);
}

function putQueue(queue) {
    if (queue.waiting.length === 0) {
        known.queues.delete(queue.election);
    } else {
        known.queues.set(queue.election, queue);
        if (!known.elections.has(queue.election)) vacate(queue.election);
    }
    queueRows.touch(queue.election);
}

function putService(service) {
    if (service.instances.length === 0) {
        known.services.delete(service.name);
    } else {
        known.services.set(service.name, service);
    }
    serviceRows.touch(service.name);
}

const events = {
    snapshot(message) {
        if (message.store !== known.store) {
            known.elections.clear();
            electionRows.touchAll();
        }
        known.store = message.store ?? "";
        trust.isListed &&= known.elections.size > 0;
        health(message);
        const listed = new Set(message.elections.map(each => each.election));
        for (const name of known.elections.keys()) {
            if (!listed.has(name)) vacate(name);
        }
        message.elections.forEach(putElection);
        trust.isListed ||= listed.size > 0;
        trustChanged();
        for (const [all, rows] of [[known.queues, queueRows], [known.services, serviceRows]]) {
            all.clear();
            rows.touchAll();
        }
        (message.queues ?? []).forEach(putQueue);
        (message.services ?? []).forEach(putService);
        known.takeOvers = (message.takeOvers ?? []).slice(-TAKE_OVERS_MAX);
        drawTakeOvers();
    },
    elections(message) {
        (message.changed ?? []).forEach(putElection);
        (message.gone ?? []).forEach(vacate);
    },
    queues(message) {
        message.changed.forEach(putQueue);
    },
    services(message) {
        (message.changed ?? []).forEach(putService);
        (message.gone ?? []).forEach(name => putService({ name, instances: [] }));
    },
    takeOver(message) {
        known.takeOvers.push(message);
        known.takeOvers.splice(0, known.takeOvers.length - TAKE_OVERS_MAX);
        message.isNew = true;
        say(message);
        drawTakeOvers();
    },
    health,
};

// ---- The connection --------------------------------------------------------------------------

const link = { source: null, heardAt: 0, failures: 0, retryAt: 0 };

function connect() {
    link.source?.close();
    link.retryAt = 0;
    link.heardAt = performance.now();
    const source = new EventSource("v1/events");
    link.source = source;
    for (const [name, receive] of Object.entries(events)) {
        source.addEventListener(name, event => {
            if (source !== link.source) return;
            link.heardAt = performance.now();
            let message;
            try {
                message = parse(event.data);
                if (name === "snapshot") {
                    trust.isConnected = true;
                    link.failures = 0;
                }
                // Changes mean something only to who has the whole.
                if (trust.isConnected) receive(message);
                if (isCurrent()) trust.knownAt = now();
            } catch (e) {
                cut();
                throw e;
            }
        });
    }
    source.onerror = cut;
}

/** Tokens beyond 2^53 stay exact, where the browser tells what the number was written as. */
function parse(text) {
    return /\d{16}/.test(text)
        ? JSON.parse(text, (key, value, context) =>
            typeof value === "number" && !Number.isSafeInteger(value) && context?.source !== undefined ? context.source : value)
        : JSON.parse(text);
}

function cut() {
    link.source?.close();
    link.source = null;
    trust.isConnected = false;
    if (link.retryAt === 0) {
        const wait = Math.min(RETRY_MAX, RETRY_FIRST * 2 ** link.failures++);
        link.retryAt = performance.now() + wait * (0.75 + Math.random() / 2);
        setTimeout(retryIfDue, link.retryAt - performance.now() + 1);
    }
    trustChanged();
}

function retryIfDue() {
    if (link.retryAt !== 0 && performance.now() >= link.retryAt) connect();
}

function retryNow() {
    if (!trust.isConnected) connect();
}

// ---- Frames ----------------------------------------------------------------------------------

/** What to draw, by key, so that what changes faster than frames is drawn once; then, less often, what sums it up. */
const rowsToDraw = new Map(), sumsToDraw = new Map();
let frame = 0, sumsTimer = 0, sumsAt = 0;

function later(key, draw, isSum = false) {
    (isSum ? sumsToDraw : rowsToDraw).set(key, draw);
    frame ||= requestAnimationFrame(drawFrame);
}

function drawFrame() {
    frame = 0;
    const start = performance.now();
    drawSome(rowsToDraw, start);
    if (rowsToDraw.size === 0) {
        const early = sumsAt + SUMS_EVERY - start;
        if (sumsToDraw.size > 0 && early > 0) {
            sumsTimer ||= setTimeout(() => {
                sumsTimer = 0;
                frame ||= requestAnimationFrame(drawFrame);
            }, early);
            return;
        }
        drawSome(sumsToDraw, start);
        if (sumsToDraw.size === 0) sumsAt = start;
    }
    if (rowsToDraw.size + sumsToDraw.size > 0) frame ||= requestAnimationFrame(drawFrame);
}

function drawSome(todo, start) {
    for (const [key, draw] of todo) {
        todo.delete(key);
        draw();
        if (performance.now() - start > FRAME_BUDGET) return;
    }
}

/** Rows in sight, whose ages tick. A new row is taken for one until the browser, a frame later, says that it is not. */
const seen = new Set();
const sight = new IntersectionObserver(entries => {
    for (const entry of entries) {
        if (entry.isIntersecting) {
            seen.add(entry.target.row);
            entry.target.row.tick?.();
        } else {
            seen.delete(entry.target.row);
        }
    }
}, { rootMargin: "25%" });

/** Rows that are highlighted, and until when. */
const fresh = new Map();

function highlight(row) {
    // Where everything changes at once, nothing stands out.
    if (fresh.size >= FRESH_MAX && !fresh.has(row)) return;
    // Two names of one animation, so that it starts again.
    row.node.dataset.fresh = row.node.dataset.fresh === "a" ? "b" : "a";
    fresh.set(row, performance.now() + FRESH);
}

/** A list by name, with a row for each name that is known. A row has a node, a key that the filter looks at, and may tick. */
class Rows {
    static count = 0;

    constructor(section, body, known, make) {
        Object.assign(this, { section, body, known, make, rows: new Map(), names: [], number: ++Rows.count });
    }

    touch(name) {
        later(this.number + " " + name, () => this.draw(name));
        later(this.section, () => this.sum(), true);
    }

    touchAll() {
        for (const name of this.rows.keys()) this.touch(name);
        later(this.section, () => this.sum(), true);
    }

    draw(name) {
        const data = this.known().get(name);
        let row = this.rows.get(name);
        if (data === undefined) {
            if (row !== undefined) this.remove(name, row);
            return;
        }
        if (row === undefined) {
            row = this.make(name);
            row.node.row = row;
            this.rows.set(name, row);
            const place = this.place(name);
            this.body.insertBefore(row.node, this.rows.get(this.names[place])?.node ?? null);
            this.names.splice(place, 0, name);
            if (row.tick) {
                seen.add(row);
                sight.observe(row.node);
            }
        }
        row.draw(data);
        row.node.hidden = !isWanted(row);
        // At once for the first row: as long as its table is hidden, it is out of sight.
        if (this.rows.size === 1) this.sum();
    }

    remove(name, row) {
        sight.unobserve(row.node);
        seen.delete(row);
        fresh.delete(row);
        row.node.remove();
        this.rows.delete(name);
        this.names.splice(this.place(name), 1);
    }

    /** Where the name is, or belongs. */
    place(name) {
        let low = 0, high = this.names.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (compare(this.names[middle], name) < 0) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    sum() {
        let matching = 0;
        for (const row of this.rows.values()) {
            row.node.hidden = !isWanted(row);
            if (!row.node.hidden) matching++;
        }
        sumSection(this.section, this.known().size, matching);
    }
}

function sumSection(id, all, matching) {
    const section = $(id), isListed = trust.isListed;
    set($(id + "-count"), isListed ? all.toLocaleString("en") : "");
    const table = section.querySelector("table");
    if (table) table.hidden = matching === 0;
    section.querySelector(".nothing").hidden = !isListed || all > 0;
    section.querySelector(".unmatched").hidden = all === 0 || matching > 0;
    if (id === "elections") {
        document.body.dataset.size = all > FEW ? "many" : "few";
        set($("found"), isFiltered() ? `${matching.toLocaleString("en")} of ${plural(all, "election", "elections")}` : "");
        drawSummary();
    }
}

// ---- Rows ------------------------------------------------------------------------------------

function cell(tag, role, className, ...content) {
    const node = element(tag, className, ...content);
    node.setAttribute("role", role);
    if (tag === "th") node.scope = "row";
    return node;
}

function tableRow(...cells) {
    const node = element("tr", "", ...cells);
    node.setAttribute("role", "row");
    return node;
}

/** A time that is drawn as its age, for as long as it is known to last; where there is width, as itself, too. */
function ageCell(node, since) {
    const at = typeof since === "number" ? since : Date.parse(since ?? "");
    if (node.since === undefined) node.append(document.createTextNode(""), element("time", "since"));
    node.since = at;
    if (Number.isNaN(at)) {
        node.title = "";
        node.firstChild.data = "–";
        node.lastChild.removeAttribute("datetime");
        set(node.lastChild, "");
    } else {
        const exact = new Date(at);
        node.title = "since " + exact.toLocaleString("en-GB");
        node.lastChild.dateTime = exact.toISOString();
        tickAge(node);
    }
}

function tickAge(node) {
    if (Number.isNaN(node.since)) return;
    const text = age(asOf() - node.since);
    if (node.firstChild.data !== text) node.firstChild.data = text;
    set(node.lastChild, " since " + (now() - node.since < DAY / 2 ? minute : day).format(node.since));
}

/** A candidate with its colour. */
function showCandidate(node, candidate) {
    if (node.candidate === candidate) return;
    node.candidate = candidate;
    const name = element("span", "");
    show(name, candidate, "no name");
    node.replaceChildren(element("span", "swatch " + hue(candidate)), name);
}

function electionRow(name) {
    const title = cell("th", "rowheader", "name"), who = element("span", "who"), notes = element("span", "notes");
    const value = cell("td", "cell", "value"), token = cell("td", "cell", "token"), held = cell("td", "cell", "age");
    show(title, name);
    const row = { node: tableRow(title, cell("td", "cell", "leader", who, notes), value, token, held), key: "", term: undefined };
    row.draw = election => {
        const isLed = hasLeader(election), term = isLed ? String(election.token) : "";
        row.isVacant = !isLed;
        row.key = (name + "\n" + (election.candidate ?? "")).toLowerCase();
        row.node.classList.toggle("vacant", !isLed);
        if (isLed) {
            showCandidate(who, election.candidate);
        } else {
            who.candidate = undefined;
            set(who, election.state === "unknown" ? "not known" : "no leader");
        }
        set(notes, isLed ? notesOn(election).join(", ") : "");
        show(value, isLed ? election.value ?? "" : "", "–");
        set(token, term || "–");
        ageCell(held, isLed ? election.since : election.vacantAt);
        if (row.term !== undefined && row.term !== term && seen.has(row)) highlight(row);
        row.term = term;
    };
    row.tick = () => tickAge(held);
    return row;
}

function notesOn(election) {
    const notes = [];
    if (election.asked || election.askedToLeave) notes.push("asked to leave");
    if (election.verified === false) notes.push("unverified");
    if (election.foreign) notes.push("written by another program");
    return notes;
}

function queueRow(name) {
    const title = cell("th", "rowheader", "name"), count = cell("td", "cell", "count"), list = element("ol", "");
    show(title, name);
    const row = { node: tableRow(title, count, cell("td", "cell", "waiting", list)), key: "" };
    let ages = [];
    row.draw = queue => {
        row.key = (name + "\n" + queue.waiting.map(each => each.candidate).join("\n")).toLowerCase();
        set(count, `${queue.waiting.length.toLocaleString("en")} waiting`);
        ages = [];
        list.replaceChildren(...queue.waiting.slice(0, WAITING_MAX).map(each => {
            const who = element("span", "who"), since = element("span", "age");
            showCandidate(who, each.candidate);
            ageCell(since, each.since);
            ages.push(since);
            return element("li", "", who, " ", since);
        }));
        const more = queue.waiting.length - WAITING_MAX;
        if (more > 0) list.append(element("li", "rest", `and ${more.toLocaleString("en")} more`));
    };
    row.tick = () => ages.forEach(tickAge);
    return row;
}

function statusOf(instance) {
    return instance.passing ? "passing" : String(instance.status ?? "").toLowerCase().replaceAll("_", "-");
}

/** How a status is drawn; words that this page does not know count as down. */
const drawnStatus = instance => {
    const status = statusOf(instance);
    return ["passing", "up", "starting", "out-of-service"].includes(status) ? status : "down";
};

function serviceRow(name) {
    const title = element("span", "name"), count = element("span", "count"), pips = element("span", "pips");
    const body = cell("tbody", "rowgroup", ""), head = cell("thead", "rowgroup", "unseen");
    const headings = ["Instance", "Status", "Address", "For"].map(text => {
        const heading = cell("th", "columnheader", "", text);
        heading.scope = "col";
        return heading;
    });
    head.append(tableRow(...headings));
    const table = cell("table", "table", "", head, body);
    table.setAttribute("aria-label", "Instances of " + printable(name));
    const node = element("details", "service", element("summary", "", title, " ", count, " ", pips), table);
    pips.setAttribute("aria-hidden", "true");
    show(title, name);
    const row = { node, key: "" };
    let instances = new Map(), isFirst = true;
    const rows = new Rows("instances of " + name, body, () => (node.open ? instances : new Map()), instanceRow);
    rows.sum = () => {};
    const touch = () => new Set([...instances.keys(), ...rows.rows.keys()]).forEach(id => rows.touch(id));
    node.addEventListener("toggle", touch);
    row.draw = service => {
        const all = service.instances, passing = all.filter(each => each.passing).length;
        instances = new Map(all.map(each => [each.id, each]));
        row.key = (name + "\n" + all.map(each => each.id + "\n" + each.address).join("\n")).toLowerCase();
        set(count, `${passing.toLocaleString("en")} of ${all.length.toLocaleString("en")} passing`);
        node.classList.toggle("failing", passing === 0);
        node.classList.toggle("ailing", passing < all.length);
        pips.replaceChildren(...all.slice(0, PIPS_MAX).map(each => element("span", "pip " + drawnStatus(each))));
        if (isFirst) node.open = all.length <= OPEN_INSTANCES_MAX;
        isFirst = false;
        touch();
    };
    return row;
}

function instanceRow(id) {
    const title = cell("th", "rowheader", "name"), status = cell("td", "cell", "status"), address = cell("td", "cell", "value");
    const pip = element("span", ""), word = element("span", ""), since = cell("td", "cell", "age");
    show(title, id);
    status.append(pip, word);
    // The filter chose the service.
    const row = { node: tableRow(title, status, address, since), key: null };
    row.draw = instance => {
        pip.className = "pip " + drawnStatus(instance);
        show(word, statusOf(instance).replaceAll("-", " ") + (instance.verified === false ? ", unverified" : ""));
        show(address, instance.address ?? "", "–");
        ageCell(since, instance.since);
    };
    row.tick = () => tickAge(since);
    return row;
}

const electionRows = new Rows("elections", document.querySelector("#elections tbody"), () => known.elections, electionRow);
const queueRows = new Rows("queues", document.querySelector("#queues tbody"), () => known.queues, queueRow);
const serviceRows = new Rows("services", document.querySelector("#services .body"), () => known.services, serviceRow);

// ---- Take-overs ------------------------------------------------------------------------------

const REASONS = { asked: "asked to leave", released: "released", expired: "lease expired", unknown: "not known" };
const reason = takeOver => (Object.hasOwn(REASONS, takeOver.reason) ? takeOver.reason : "unknown");

function svg(tag, attributes, ...children) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
}

const percent = share => (Math.round(share * 10_000) / 100) + "%";

let takeOverRows = [], areAllShown = false;

function drawTakeOvers() {
    later("take-overs", () => {
        const rows = new Map(takeOverRows.map(row => [row.takeOver, row]));
        const wanted = known.takeOvers.map(each => rows.get(each) ?? takeOverRow(each)).reverse();
        const body = document.querySelector("#take-overs tbody"), kept = new Set(wanted);
        for (const row of takeOverRows) {
            if (!kept.has(row)) {
                row.node.remove();
                fresh.delete(row);
            }
        }
        // New ones are in front, so this moves none.
        let next = body.firstChild;
        for (const row of wanted) {
            if (row.node === next) next = next.nextSibling;
            else body.insertBefore(row.node, next);
        }
        takeOverRows = wanted;
        drawScale();
        sumTakeOvers();
    }, true);
}

function takeOverRow(takeOver) {
    const at = element("time", "", time(takeOver.at)), election = cell("td", "cell", "name"), leaders = cell("td", "cell", "leader");
    at.dateTime = new Date(takeOver.at).toISOString();
    show(election, takeOver.election);
    for (const [side, words] of [[takeOver.from, "nobody"], [takeOver.to, "nobody"]]) {
        const who = element("span", "who");
        if (side) showCandidate(who, side.candidate);
        else who.append(element("span", "none", words));
        leaders.append(who);
    }
    const arrow = element("span", "arrow", "→");
    arrow.setAttribute("aria-hidden", "true");
    leaders.firstChild.after(" ", arrow, element("span", "unseen", " then "));
    const bar = svg("rect", { height: "100%", class: reason(takeOver) });
    const broken = svg("svg", { x: "78%", overflow: "visible" }, svg("path", { d: "M0 20L8 -8h5L5 20z" }));
    const length = takeOver.gapMillis > 0 ? takeOver.gapMillis : undefined;
    const drawn = svg("svg", { class: "gap", "aria-hidden": "true" }, bar, broken);
    const row = {
        node: tableRow(cell("td", "cell", "time", at), election, leaders,
            cell("td", "cell", "without", drawn, element("span", "", length !== undefined ? gap(length) : takeOver.from ? "none seen" : "–")),
            cell("td", "cell", "reason", takeOver.from ? element("span", "why " + reason(takeOver), REASONS[reason(takeOver)])
                : element("span", "none", "first leader seen"))),
        takeOver,
        length,
        key: [takeOver.election, takeOver.from?.candidate ?? "", takeOver.to?.candidate ?? ""].join("\n").toLowerCase(),
    };
    row.scale = longest => {
        const share = length === undefined ? 0 : Math.min(1, length / longest);
        bar.setAttribute("width", percent(share));
        drawn.classList.toggle("beyond", length > longest);
    };
    if (takeOver.isNew) highlight(row);
    return row;
}

/** One scale for all bars. The longest few may be longer than the scale: they would make dots of the others. */
function drawScale() {
    const lengths = takeOverRows.map(row => row.length ?? 0).sort((a, b) => a - b);
    const most = lengths[Math.floor((lengths.length - 1) * 0.9)] ?? 0, last = lengths.at(-1) ?? 0;
    const longest = last <= 3 * most ? last : 1.5 * most || last;
    for (const row of takeOverRows) row.scale(longest || 1);
}

function sumTakeOvers() {
    later("take-overs shown", () => {
        let matching = 0;
        for (const row of takeOverRows) {
            const isMatching = isWanted(row);
            if (isMatching) matching++;
            row.node.hidden = !isMatching || (!areAllShown && matching > TAKE_OVERS_FIRST);
        }
        const all = $("all-take-overs");
        all.hidden = matching <= TAKE_OVERS_FIRST;
        set(all, areAllShown ? `Show the last ${TAKE_OVERS_FIRST} only` : `Show all ${matching}`);
        all.setAttribute("aria-expanded", String(areAllShown));
        sumSection("take-overs", known.takeOvers.length, matching);
        drawLanes();
        drawSummary();
    }, true);
}

// ---- The time line ---------------------------------------------------------------------------

const lanes = document.querySelector(".lanes");
/** As laid out last, in pixels: to ask for it anew would lay out anew. */
let lanesWidth = 400, letter = 7;
let lanesDrawnAt = 0, lanesWindow = 0, areLanesSeen = false;

/**
 * Who led when, a lane for each election that changed hands lately; all lengths are to scale. Where all take-overs are
 * shown, all of them are drawn, however many and old.
 */
function drawLanes() {
    const end = now(), takeOvers = takeOverRows.filter(isWanted).map(row => row.takeOver);
    lanes.parentNode.hidden = takeOvers.length === 0;
    lanesDrawnAt = end;
    if (takeOvers.length === 0) return;
    const names = new Set();
    let first = end, count = 0;
    for (const takeOver of takeOvers) {
        const isEnough = !names.has(takeOver.election) && names.size === LANES_MAX || count++ === LANE_EVENTS;
        if (isEnough && !areAllShown) break;
        names.add(takeOver.election);
        first = Math.min(first, takeOver.vacantFrom ?? takeOver.at);
    }
    const needed = (end - first) * 1.04;
    const [minutes, parts] = WINDOWS.find(each => each[0] * MINUTE >= needed) ?? [Math.ceil(needed / DAY / 5) * 7200, 5];
    lanesWindow = minutes * MINUTE;
    const width = lanesWidth * (lanesWidth > LANES_NARROW * letter ? 0.75 : 1);
    lanes.replaceChildren(
        ...[...names].sort(compare).map(name => lane(name, takeOvers.filter(each => each.election === name).reverse(), end, width)),
        axis(width > 75 * parts ? parts : 1));
}

function lane(name, takeOvers, end, width) {
    const begin = end - lanesWindow, until = Math.max(asOf(), takeOvers.at(-1).at), shapes = [];
    const span = (from, to, className, label) => {
        const a = Math.max(0, (from - begin) / lanesWindow), b = Math.min(1, (to - begin) / lanesWindow);
        if (b <= 0 || a >= 1 || b < a) return;
        const box = svg("svg", { x: percent(a), width: percent(b - a), height: "100%" },
            svg("rect", { class: className, width: "100%", height: "100%" }));
        if (label !== undefined && (b - a) * width > label.length * letter + 12) {
            box.append(svg("text", { x: 6, y: "50%" }, label));
        }
        shapes.push(box);
    };
    const term = (from, to, candidate) => span(from, to, "term " + hue(candidate), printable(candidate));
    let leader = takeOvers[0].from, since = begin;
    for (const takeOver of takeOvers) {
        const vacantFrom = takeOver.vacantFrom ?? takeOver.at;
        if (leader) term(since, vacantFrom, leader.candidate);
        // A gap that lasted is never too short to be seen.
        const least = takeOver.gapMillis > 0 ? 2 * lanesWindow / width : 0;
        span(Math.min(vacantFrom, takeOver.at - least), takeOver.at, "hole " + reason(takeOver));
        leader = takeOver.to;
        since = takeOver.at;
    }
    const election = known.elections.get(name), isLed = hasLeader(election);
    const led = isLed || !election ? until : Math.min(until, election.vacantAt ?? until);
    if (leader) term(since, led, leader.candidate);
    if (!isLed && election) span(led, until, "hole unknown");
    if (until < end) span(until, end, "dark");
    const title = element("span", "name");
    show(title, name);
    return element("div", "lane", title, svg("svg", { class: "track" }, ...shapes));
}

/** How long ago is where on the time line. */
function axis(parts) {
    const marks = [];
    for (let i = 0; i <= parts; i++) {
        const ago = brief(Math.round(lanesWindow * (1 - i / parts)));
        marks.push(svg("text", { x: percent(i / parts), y: "50%", class: i === 0 ? "first" : i === parts ? "last" : "" },
            i === parts ? "now" : i === 0 ? ago + " ago" : ago));
    }
    return element("div", "lane axis", element("span", "name"), svg("svg", {}, ...marks));
}

function brief(millis) {
    const [size, word] = [[DAY, "d"], [HOUR, "h"], [MINUTE, "min"], [1000, "s"]].find(each => millis % each[0] === 0) ?? [1000, "s"];
    return `${Math.round(millis / size)} ${word}`;
}

// ---- Summary and trust -----------------------------------------------------------------------

function trustChanged() {
    const state = !trust.isListed ? "waiting" : isCurrent() ? "current" : "stale";
    if (document.body.dataset.trust !== state) {
        const before = document.body.dataset.trust;
        document.body.dataset.trust = state;
        if (state === "stale") speak("Stale since " + time(trust.knownAt));
        else if (before === "stale") speak("Current again");
        drawSummary();
    }
    $("retry").hidden = trust.isConnected || link.retryAt === 0;
    for (const node of document.querySelectorAll(".as-of")) set(node, state === "stale" ? "as of " + time(trust.knownAt) : "");
    drawTrust();
    later("summary", drawSummary, true);
    later("lanes", drawLanes, true);
    later("ages", () => seen.forEach(row => row.tick()), true);
}

function drawTrust() {
    const state = document.body.dataset.trust;
    set($("trust"), state === "waiting" ? (link.retryAt ? "Not connected" : "Connecting")
        : state === "current" ? "Live" : "Stale since " + time(trust.knownAt));
    const answered = `${state === "current" ? "listed" : "last heard of"} ${age(now() - trust.confirmedAt)} ago`;
    set($("store"), state === "waiting" ? "" : `Store: ${printable(known.store)}, ${answered}.`);
}

function drawSummary() {
    const state = document.body.dataset.trust;
    const all = known.elections.size, vacant = [...known.elections.values()].filter(each => !hasLeader(each));
    const wait = Math.ceil((link.retryAt - performance.now()) / 1000);
    const again = link.retryAt === 0 ? "connecting" : wait > 0 ? `trying again in ${wait} s` : "trying again";
    let headline, lede;
    if (state === "waiting") {
        headline = ["Connecting…"];
        lede = [trust.isConnected ? "The store has not answered yet."
            : link.retryAt || link.failures ? `The server of this page does not answer: ${again}.` : ""];
    } else if (state === "stale") {
        headline = ["Stale since " + time(trust.knownAt)];
        lede = [(trust.isConnected ? `The store has not answered for ${age(now() - trust.confirmedAt)}.`
            : `The server of this page does not answer: ${again}.`) + " What you see is what was known then."];
    } else {
        headline = all === 0 ? ["Nobody leads anything yet"]
            : vacant.length > 0 ? vacancy(vacant, all)
            : all === 1 ? only(known.elections.values().next().value)
            : [`All ${all.toLocaleString("en")} elections have a leader`];
        lede = lastTakeOver();
    }
    redraw($("headline"), headline);
    $("headline").classList.toggle("vacancy", state === "current" && vacant.length > 0);
    redraw($("lede"), lede);
    const button = $("vacant");
    button.hidden = vacant.length === 0 && !isVacantOnly;
    button.setAttribute("aria-pressed", String(isVacantOnly));
    set(button, `${vacant.length.toLocaleString("en")} vacant`);
    button.setAttribute("aria-label", `${vacant.length} vacant: show no others`);
    document.title = state === "waiting" || (state === "current" && all === 0) ? "Mandate" : state === "stale" ? "Stale · Mandate"
        : vacant.length > 0 ? `${vacant.length} vacant · Mandate` : `${all} led · Mandate`;
}

/** The beginning of a text, never half of a pair. */
const beginning = (text, length) => text.slice(0, length).replace(/[\ud800-\udbff]$/, "");
const named = text => element("b", "", element("bdi", "", ...pieces(text.length > 60 ? beginning(text, 60) + "…" : text)));
const only = election => [named(election.election), " is led by ", named(election.candidate)];

function vacancy(vacant, all) {
    const names = vacant.map(each => each.election).sort(compare);
    if (all === 1) return [named(names[0]), " has no leader"];
    const count = `${vacant.length.toLocaleString("en")} of ${all.toLocaleString("en")} elections`;
    return [`${count} ${vacant.length === 1 ? "has" : "have"} no leader`,
        ...(names.length <= 2 ? names.flatMap((name, i) => [i === 0 ? ": " : ", ", named(name)]) : [])];
}

function lastTakeOver() {
    const last = known.takeOvers.at(-1);
    if (last === undefined) return [""];
    return [`Last take-over ${age(now() - last.at)} ago: `, ...took(last)];
}

function took(takeOver) {
    return [named(takeOver.election), " went ", ...(takeOver.from ? ["from ", named(takeOver.from.candidate), " "] : []), "to ",
        named(takeOver.to.candidate), takeOver.gapMillis > 0 ? ` after ${gap(takeOver.gapMillis)} without a leader` : "",
        reason(takeOver) === "unknown" ? "." : ` (${REASONS[reason(takeOver)]}).`];
}

/** Replaces content only if it reads otherwise. */
function redraw(node, content) {
    const draft = element("p", "", ...content);
    if (draft.textContent !== node.textContent) node.replaceChildren(...draft.childNodes);
}

/** Take-overs for those who listen: the newest, and how many there were, every few seconds at most. */
const unsaid = { count: 0, last: null, timer: 0, saidAt: -SAY_EVERY };

function say(takeOver) {
    unsaid.count++;
    unsaid.last = takeOver;
    unsaid.timer ||= setTimeout(() => {
        unsaid.timer = 0;
        speak((unsaid.count > 1 ? `${unsaid.count} take-overs. The last: ` : "") + element("p", "", ...took(unsaid.last)).textContent);
        unsaid.count = 0;
    }, Math.max(200, unsaid.saidAt + SAY_EVERY - performance.now()));
}

function speak(text) {
    unsaid.saidAt = performance.now();
    set($("said"), text);
}

// ---- The filter ------------------------------------------------------------------------------

const input = $("filter");
let filter = "", isVacantOnly = false;

const isFiltered = () => filter !== "" || isVacantOnly;
const isWanted = row => row.key === null || (row.key.includes(filter) && (!isVacantOnly || row.isVacant !== false));

function filterChanged() {
    filter = input.value.toLowerCase();
    const address = new URL(location.href);
    if (filter) address.searchParams.set("filter", input.value);
    else address.searchParams.delete("filter");
    history.replaceState(null, "", address);
    for (const rows of [electionRows, queueRows, serviceRows]) later(rows.section, () => rows.sum(), true);
    sumTakeOvers();
}

function clearFilter() {
    const hadAny = isFiltered();
    input.value = "";
    isVacantOnly = false;
    filterChanged();
    return hadAny;
}

document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "/" && document.activeElement !== input) {
        event.preventDefault();
        input.focus();
        input.select();
    } else if (event.key === "Escape" && !clearFilter()) {
        input.blur();
    }
});
input.addEventListener("input", filterChanged);
document.querySelector("form").addEventListener("submit", event => event.preventDefault());
$("vacant").addEventListener("click", () => {
    isVacantOnly = !isVacantOnly;
    filterChanged();
});
$("all-take-overs").addEventListener("click", () => {
    areAllShown = !areAllShown;
    sumTakeOvers();
});
$("retry").addEventListener("click", retryNow);

// ---- Time goes on ----------------------------------------------------------------------------

setInterval(() => {
    if (link.source !== null && performance.now() - link.heardAt > SILENCE_MAX) cut();
    retryIfDue();
    const t = now(), moment = performance.now();
    for (const [name, election] of known.elections) {
        if (!hasLeader(election) && isCurrent() && t - election.vacantAt > VACANT_KEPT && !known.queues.has(name)) {
            known.elections.delete(name);
            electionRows.touch(name);
        }
    }
    for (const [row, until] of fresh) {
        if (moment > until) {
            fresh.delete(row);
            delete row.node.dataset.fresh;
        }
    }
    drawTrust();
    drawSummary();
    if (document.hidden) return;
    seen.forEach(row => row.tick());
    if (areLanesSeen && t - lanesDrawnAt >= Math.min(10_000, lanesWindow / 600)) later("lanes", drawLanes, true);
}, 1000);

new IntersectionObserver(entries => (areLanesSeen = entries.at(-1).isIntersecting)).observe(lanes);
new ResizeObserver(entries => {
    lanesWidth = entries.at(-1).contentRect.width || lanesWidth;
    letter = parseFloat(getComputedStyle(lanes).fontSize) * 0.46;
    later("lanes", drawLanes, true);
}).observe(lanes);
addEventListener("online", retryNow);
addEventListener("pageshow", event => event.persisted && connect());
document.addEventListener("visibilitychange", () => document.hidden || retryNow());

input.value = new URLSearchParams(location.search).get("filter") ?? "";
filterChanged();
connect();
})();
