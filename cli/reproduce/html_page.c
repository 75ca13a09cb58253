#include "reproduce/html_page.h"

#include "reproduce/table_formats.h"

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;"
    "--card:#f6f8fa;--link:#0072b2;--warn:#b35900}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--line:#3a424b;"
    "--paper:#14181d;--card:#1c2128;--link:#56b4e9;--warn:#e69f00}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;padding:1.2rem;max-width:62rem;background:var(--paper);color:var(--ink);"
    "font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:.6rem 0}"
    "h2{font-size:1.3rem;margin:2.4rem 0 .4rem;border-top:1px solid var(--line);"
    "padding-top:1.2rem}h3{font-size:1rem;margin:1.4rem 0 .4rem}\n"
    "a{color:var(--link)}nav{display:flex;flex-wrap:wrap;gap:.3rem 1rem;margin:1rem 0}\n"
    "p,li{max-width:46rem}.soft,figcaption{color:var(--soft);font-size:.9rem}\n"
    ".notice{border-left:4px solid var(--warn);background:var(--card);padding:.6rem 1rem;"
    "margin:1rem 0}.gap{color:var(--warn);font-style:italic}\n"
    ".wide{overflow-x:auto;-webkit-overflow-scrolling:touch;margin:.4rem 0}\n"
    "table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;"
    "min-width:min(100%,26rem)}"
    "th,td{padding:.3rem .7rem;text-align:right;white-space:nowrap}"
    "thead th{border-bottom:2px solid var(--line);vertical-align:bottom}"
    "th[scope=row],th:first-child,td.text{text-align:left;font-weight:normal}"
    "td.text{white-space:normal;min-width:16rem;word-break:break-word}"
    "tbody tr:nth-child(even){background:var(--card)}"
    "tr.group th,tr.group td{border-top:2px solid var(--line)}"
    ".published{color:var(--soft)}small{font-size:.8em;color:var(--soft)}\n"
    "figure{margin:1rem 0}figure img{display:block;width:100%;height:auto;background:#fff;"
    "border:1px solid var(--line);border-radius:6px}\n"
    "code{font-size:.85em}details{margin:.8rem 0}summary{cursor:pointer}\n"
    "@media(max-width:40rem){figure "
    "img{min-width:36rem}body{padding:.8rem;font-size:15px}th,td{padding:.25rem .45rem}"
    "th:first-child{position:sticky;left:0;background:var(--paper);white-space:normal;"
    "min-width:6.5rem}tbody tr:nth-child(even) th:first-child{background:var(--card)}}\n"
    "@media print{nav,details summary{display:none}}\n";

void cli_page_open(FILE *out, const char *title)
{
    fputs("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n"
          "<meta name=viewport content=\"width=device-width,initial-scale=1\">\n<title>",
          out);
    cli_table_format_escape(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n<body>\n<h1>", style);
    cli_table_format_escape(out, title);
    fputs("</h1>\n", out);
}

void cli_page_close(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

/* Base64, three bytes as four letters. */
static void put_base64(FILE *out, FILE *in)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char b[3];
    size_t n;

    while ((n = fread(b, 1, 3, in)) > 0) {
        unsigned bits =
            (unsigned)b[0] << 16 | (n > 1 ? (unsigned)b[1] << 8 : 0) | (n > 2 ? (unsigned)b[2] : 0);
        putc(letters[bits >> 18 & 63], out);
        putc(letters[bits >> 12 & 63], out);
        putc(n > 1 ? letters[bits >> 6 & 63] : '=', out);
        putc(n > 2 ? letters[bits & 63] : '=', out);
    }
}

int cli_page_picture(FILE *out, const char *path, const char *description)
{
    FILE *in = fopen(path, "rb");
    if (!in)
        return 0;
    fputs("<img alt=\"", out);
    cli_table_format_escape(out, description);
    fputs("\" src=\"data:image/svg+xml;base64,", out);
    put_base64(out, in);
    fputs("\">\n", out);
    fclose(in);
    return 1;
}
