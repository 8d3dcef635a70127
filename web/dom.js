/* dom.js: elements made from words. Words are always text: nothing here parses HTML. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @param {Element} element
 * @param {Record<string, any>} attributes
 */
function dress(element, attributes) {
    for (const [key, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) {
            continue;
        }
        if (key.startsWith("on")) {
            element.addEventListener(key.slice(2), value);
        } else {
            element.setAttribute(key, value === true ? "" : String(value));
        }
    }
}

/**
 * An element of the page.
 * @param {string} name
 * @param {Record<string, any>} [attributes] `onclick` and its kin are functions
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElement}
 */
export function h(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    dress(element, attributes);
    for (const child of children) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(child instanceof Node ? child : String(child));
        }
    }
    return element;
}

/**
 * An element of a picture.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {SVGElement}
 */
export function s(name, attributes = {}, ...children) {
    const element = /** @type {SVGElement} */ (document.createElementNS(SVG, name));
    dress(element, attributes);
    for (const child of children) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(child instanceof Node ? child : String(child));
        }
    }
    return element;
}

/* what takes the focus */
const FOCUSABLE = "button:not(:disabled), input:not(:disabled), select, summary, a[href]";

/** @param {Element} element */
const called = (element) => element.getAttribute("aria-label") ?? (element.closest("label") ?? element).textContent;

/**
 * Puts others in the place of the children. What is called as that which had the focus gets it, else what stands there now.
 * @param {HTMLElement} root
 * @param {...(Node | string)} children
 */
export function renew(root, ...children) {
    const before = Array.from(root.querySelectorAll(FOCUSABLE));
    const place = before.indexOf(/** @type {Element} */ (document.activeElement));
    const name = before[place] && called(before[place]);
    root.replaceChildren(...children);
    if (place >= 0) {
        const now = /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(FOCUSABLE));
        (Array.from(now).find((one) => called(one) === name) ?? now[Math.min(place, now.length - 1)])?.focus();
    }
}

/**
 * Words with `code` and **bold** in them, as elements.
 * @param {string} text
 * @returns {Node[]}
 */
export function prose(text) {
    return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).filter((part) => part !== "").map((part) => {
        if (part.startsWith("`")) {
            return h("code", {}, part.slice(1, -1));
        }
        return part.startsWith("**") ? h("b", {}, part.slice(2, -2)) : document.createTextNode(part);
    });
}

/**
 * A labelled choice.
 * @param {string} label
 * @param {string} value
 * @param {(string | [string, string])[]} options
 * @param {(value: string) => void} change
 */
export function choice(label, value, options, change) {
    const select = /** @type {HTMLSelectElement} */ (h("select", {
        onchange: () => change(select.value),
    }, ...options.map((option) => {
        const [key, words] = Array.isArray(option) ? option : [option, option];
        return h("option", { value: key, selected: key === value }, words);
    })));
    select.value = value;
    return h("label", { class: "choice" }, label, " ", select);
}

/**
 * A button.
 * @param {string} words
 * @param {() => void} act
 * @param {Record<string, any>} [more]
 */
export function button(words, act, more = {}) {
    return h("button", { type: "button", onclick: act, ...more }, words);
}
