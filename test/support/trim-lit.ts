/**
 * Leaves out of Lit, for the script tag's files, what nothing in this package uses: directives, reflected and decorated
 * properties, SVG and MathML templates, and style elements for browsers older than ours.
 *
 * Each cut names the text whose place it takes: a Lit without that text fails the build, and so does a source of ours that
 * uses what is cut out.
 */
import type { Plugin } from 'vite';

/** What stands in a file of Lit, and what stands there instead; nothing, where nothing is said. */
type Cut = readonly [from: string, to?: string];

const cuts: Readonly<Record<string, readonly Cut[]>> = {
  '@lit/reactive-element/css-tag.js': [
    // Every browser that runs the file adopts style sheets.
    [
      'e=t.ShadowRoot&&(void 0===t.ShadyCSS||t.ShadyCSS.nativeShadow)&&"adoptedStyleSheets"in Document.prototype&&"replace"in CSSStyleSheet.prototype',
      'e=!0',
    ],
    ['t instanceof CSSStyleSheet?t:t.styleSheet', 't.styleSheet'],
    // Style sheets that are made of several, or by hand.
    [
      'constructor(t,e,o){if(this._$cssResult$=!0,o!==s)throw Error("CSSResult is not constructable. Use `unsafeCSS` or `css` instead.");this.cssText=t,this.t=e}get styleSheet(){let t=this.o;const s=this.t;if(e&&void 0===t){const e=void 0!==s&&1===s.length;e&&(t=o.get(s)),void 0===t&&((this.o=t=new CSSStyleSheet).replaceSync(this.cssText),e&&o.set(s,t))}return t}toString(){return this.cssText}',
      'constructor(t){this.cssText=t}get styleSheet(){return this.o||(this.o=new CSSStyleSheet).replaceSync(this.cssText),this.o}',
    ],
  ],
  '@lit/reactive-element/reactive-element.js': [
    [',p?.({ReactiveElement:y}),(a.reactiveElementVersions??=[]).push("2.1.2")'],
    ['p=a.reactiveElementPolyfillSupport,'],
    // Decorators.
    ['Symbol.metadata??=Symbol("metadata"),a.litPropertyMetadata??=new WeakMap;'],
    [
      'const t=this[Symbol.metadata];if(null!==t){const s=litPropertyMetadata.get(t);if(void 0!==s)for(const[t,i]of s)this.elementProperties.set(t,i)}',
    ],
    ['static addInitializer(t){this._$Ei(),(this.l??=[]).push(t)}'],
    ['void 0!==t.l&&(this.l=[...t.l]),'],
    [',this.constructor.l?.forEach(t=>t(this))'],
    ['s.state&&(s.attribute=!1),'],
    // Accessors that stood there before.
    ['this.prototype.hasOwnProperty(t)&&((s=Object.create(s)).wrapped=!0),'],
    [
      'const t=this.constructor.elementProperties;if(t.size>0)for(const[s,i]of t){const{wrapped:t}=i,e=this[s];!0!==t||this._$AL.has(s)||void 0===e||this.C(s,void 0,i,e)}',
    ],
    [
      'const i=[];if(Array.isArray(s)){const e=new Set(s.flat(1/0).reverse());for(const s of e)i.unshift(t(s))}else void 0!==s&&i.push(t(s));return i',
      'return s?[s]:[]',
    ],
    // Types of attributes: each of ours that is no text brings a function.
    [
      'u={toAttribute(t,s){switch(s){case Boolean:t=t?l:null;break;case Object:case Array:t=null==t?t:JSON.stringify(t)}return t},fromAttribute(t,s){let i=t;switch(s){case Boolean:i=null!==t;break;case Number:i=null===t?null:Number(t);break;case Object:case Array:try{i=JSON.parse(t)}catch(t){i=null}}return i}}',
      'u=t=>t',
    ],
    [
      '"function"==typeof t.converter?{fromAttribute:t.converter}:void 0!==t.converter?.fromAttribute?t.converter:u',
      't.converter??u',
    ],
    ['h.fromAttribute(s,t.type)', 'h(s)'],
    ['{attribute:!0,type:String,converter:u,reflect:!1,useDefault:!1,hasChanged:f}', '{}'],
    ['(i.hasChanged??f)(h,s)', 'f(h,s)'],
    ['!s.noAccessor', '!0'],
    [
      'const t=this.properties,s=[...r(t),...o(t)];for(const i of s)this.createProperty(i,t[i])',
      'for(const[t,s]of Object.entries(this.properties))this.createProperty(t,s)',
    ],
    // Hooks.
    [
      'this.hasUpdated||(this.hasUpdated=!0,this.firstUpdated(t)),this.updated(t)',
      'this.hasUpdated=!0',
    ],
    ['updated(t){}firstUpdated(t){}'],
    ['t=this.shouldUpdate(s),t?(', 't=!0,('],
    [',this.update(s)):this._$EM()}', ',this.update(s))}'],
    ['shouldUpdate(t){return!0}'],
    // Properties that are written back into attributes.
    [
      '_$ET(t,s){const i=this.constructor.elementProperties.get(t),e=this.constructor._$Eu(t,i);if(void 0!==e&&!0===i.reflect){const h=(void 0!==i.converter?.toAttribute?i.converter:u).toAttribute(s,i.type);this._$Em=t,null==h?this.removeAttribute(e):this.setAttribute(e,h),this._$Em=null}}',
    ],
    ['this._$Eq&&=this._$Eq.forEach(t=>this._$ET(t,this[t])),'],
    ['||i.useDefault&&i.reflect&&h===this._$Ej?.get(t)&&!this.hasAttribute(r._$Eu(t,i))'],
    ['r??this._$Ej?.get(e)??r', 'r'],
    [
      'C(t,s,{useDefault:i,reflect:e,wrapped:h},r){i&&!(this._$Ej??=new Map).has(t)&&(this._$Ej.set(t,r??s??this[t]),!0!==h||void 0!==r)||(this._$AL.has(t)||(this.hasUpdated||i||(s=void 0),this._$AL.set(t,s)),!0===e&&this._$Em!==t&&(this._$Eq??=new Set).add(t))}',
      'C(t,s){this._$AL.has(t)||this._$AL.set(t,this.hasUpdated?s:void 0)}',
    ],
  ],
  'lit-html/lit-html.js': [
    [',B=t.litHtmlPolyfillSupport;B?.(S,k),(t.litHtmlVersions??=[]).push("3.3.3");const D', ',D'],
    // Directives, and what tells them where they are.
    [
      'function M(t,i,s=t,e){if(i===E)return i;let h=void 0!==e?s._$Co?.[e]:s._$Cl;const o=a(i)?void 0:i._$litDirective$;return h?.constructor!==o&&(h?._$AO?.(!1),void 0===o?h=void 0:(h=new o(t),h._$AT(t,s,e)),void 0!==e?(s._$Co??=[])[e]=h:s._$Cl=h),void 0!==h&&(i=M(t,h._$AS(t,i.values),h,e)),i}',
      'function M(t,i){return i}',
    ],
    ['get parentNode(){return this._$AM.parentNode}get _$AU(){return this._$AM._$AU}'],
    ['get _$AU(){return this._$AM?._$AU??this._$Cv}'],
    [
      'get parentNode(){let t=this._$AA.parentNode;const i=this._$AM;return void 0!==i&&11===t?.nodeType&&(t=i.parentNode),t}get startNode(){return this._$AA}get endNode(){return this._$AB}',
    ],
    [',this._$Cv=e?.isConnected??!0'],
    ['setConnected(t){void 0===this._$AM&&(this._$Cv=t,this._$AP?.(t))}'],
    ['for(this._$AP?.(!1,!0,s);', 'for(;'],
    ['get tagName(){return this.element.tagName}get _$AU(){return this._$AM._$AU}'],
    // Places in a tag itself.
    ['else t.startsWith(o)&&(d.push({type:6,index:l}),r.removeAttribute(t))'],
    [
      '1===r.type?i=new r.ctor(h,r.name,r.strings,this,t):6===r.type&&(i=new Z(h,this,t))',
      '1===r.type&&(i=new r.ctor(h,r.name,r.strings,this,t))',
    ],
    // Text of a textarea or a style element.
    [
      'if(y.test(r.tagName)){const t=r.textContent.split(o),i=t.length-1;if(i>0){r.textContent=s?s.emptyScript:"";for(let s=0;s<i;s++)r.append(t[s],c()),P.nextNode(),d.push({type:2,index:++l});r.append(t[i],c())}}',
    ],
    // SVG, MathML, compiled templates, nodes.
    ['l=2===i?"<svg>":3===i?"<math>":""', 'l=""'],
    ['+(2===i?"</svg>":3===i?"</math>":"")'],
    [
      ',2===i||3===i){const t=this.el.content.firstChild;t.replaceWith(...t.childNodes)}for(;',
      ';for(;',
    ],
    ['if(this.el=S.createElement(f,e)', 'this.el=S.createElement(f,e)'],
    [
      '"number"==typeof s?this._$AC(t):(void 0===s.el&&(s.el=S.createElement(V(s.h,s.h[0]),this.options)),s)',
      'this._$AC(t)',
    ],
    ['void 0!==t.nodeType?this.T(t):'],
    ['(t?.creationScope??l)', 'l'],
    // Listeners that are objects, or say how they listen.
    [
      'e=t===A&&s!==A||t.capture!==s.capture||t.once!==s.once||t.passive!==s.passive',
      'e=t===A&&s!==A',
    ],
    ['"function"==typeof this._$AH?', ''],
    [':this._$AH.handleEvent(t)}', '}'],
  ],
  'lit-element/lit-element.js': [
    ['connectedCallback(){super.connectedCallback(),this._$Do?.setConnected(!0)}'],
    ['disconnectedCallback(){super.disconnectedCallback(),this._$Do?.setConnected(!1)}'],
    ['this.hasUpdated||(this.renderOptions.isConnected=this.isConnected),'],
    [
      'i._$litElement$=!0,i["finalized"]=!0,s.litElementHydrateSupport?.({LitElement:i});const o=s.litElementPolyfillSupport;o?.({LitElement:i});',
      'i.finalized=!0;',
    ],
    ['(s.litElementVersions??=[]).push("4.2.2");'],
  ],
};

/** What our sources must not use: also a value between the tags of a text element, and one that is a tag's own. */
const cutOut =
  /lit\/(directive|decorators)|\b(svg|mathml)`|\b(reflect|useDefault|noAccessor|hasChanged|fromAttribute):|\b(shouldUpdate|firstUpdated|updated)\(|<(textarea|style|title|script)\b[^<]*>\s*\$\{|<[\w-]+ \$\{/;

/** The plugin of the build. */
export function trimLit(): Plugin {
  const found = new Set<string>();
  return {
    name: 'trim-lit',
    transform(code, id) {
      const source = id.split('?')[0] ?? id;
      if (/\/src\/checkout\//.test(source) && cutOut.test(code)) {
        throw new Error(`${source} uses what test/support/trim-lit.ts cuts out of Lit`);
      }
      const file = Object.keys(cuts).find((name) => source.endsWith(`/node_modules/${name}`));
      if (file === undefined) return null;
      found.add(file);
      return { code: cuts[file]!.reduce(cut, code), map: null };
    },
    buildEnd(error) {
      const missing = Object.keys(cuts).filter((file) => !found.has(file));
      if (!error && missing.length > 0)
        throw new Error(`Lit has no ${missing.join(', ')} any more`);
    },
  };
}

function cut(code: string, [from, to = '']: Cut): string {
  if (code.split(from).length !== 2) throw new Error(`Lit reads otherwise than "${from}"`);
  return code.replace(from, () => to);
}
